"""The functions that a query may call. What is not named here is refused."""

from __future__ import annotations

import re

from sqlglot import exp

from flows.data.tables import Dialect

LABELS: dict[Dialect, str] = {
    "duckdb": "DuckDB",
    "sqlite": "SQLite",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
}

# As SQLite's authorizer hears them. Left out on purpose: load_extension, readfile, writefile,
# edit, fts3_tokenizer, zeroblob, randomblob, and everything that is not part of SQLite's core.
_SQLITE_FUNCTIONS_TEXT = """
    abs char coalesce concat concat_ws format glob hex ifnull if iif instr length like likelihood
    likely lower ltrim max min nullif octet_length printf quote random replace round rtrim sign
    soundex substr substring trim typeof unhex unicode unlikely upper avg count group_concat
    string_agg sum total median percentile percentile_cont percentile_disc date time datetime
    julianday unixepoch strftime timediff current_date current_time current_timestamp acos acosh
    asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow
    power radians sin sinh sqrt tan tanh trunc row_number rank dense_rank percent_rank cume_dist
    ntile lag lead first_value last_value nth_value json json_array json_array_length json_extract
    json_object json_type json_valid json_quote json_group_array json_group_object -> ->>
"""
SQLITE_FUNCTIONS = frozenset(_SQLITE_FUNCTIONS_TEXT.split())

# Functions that sqlglot has no class for, by name.
_DUCKDB_NAMES_TEXT = """
    even fmod gcd lcm isfinite prefix suffix nfc_normalize ord regexp_split_to_array strip_accents
    strlen damerau_levenshtein jaccard jaro_similarity hamming hash age century decade millennium
    date_part datepart date_sub datesub era isoyear now try_strptime to_hours to_minutes to_months
    to_seconds to_milliseconds to_weeks to_years weekday yearweek julian get_current_timestamp
    transaction_timestamp epoch_us epoch_ns millisecond microsecond arbitrary mean count_star
    entropy favg fsum geomean geometric_mean histogram kurtosis_pop mad product reservoir_quantile
    sem sumkahan sum_no_overflow fill list_extract list_element list_unique list_sum list_avg
    list_count list_aggregate list_aggr list_slice list_reverse list_position list_first list_last
    list_median row map_values map_extract element_at cardinality json_array_length json_valid
    json_value json_exists to_json regexp_escape nvl2
"""
_DUCKDB_NAMES = frozenset(_DUCKDB_NAMES_TEXT.split())

# What a server may say of its files, settings, sessions and locks is left out on purpose, and so is
# what writes, waits, or runs a text as SQL.
_POSTGRES_NAMES_TEXT = """
    age date_part make_date make_time make_timestamp make_timestamptz to_timestamp isfinite
    justify_hours justify_interval clock_timestamp statement_timestamp transaction_timestamp div gcd
    lcm scale min_scale trim_scale erf erfc sind cosd tand asind acosd atand cotd num_nulls
    num_nonnulls pg_typeof octet_length btrim quote_literal quote_ident regexp_match regexp_matches
    regexp_split_to_array regexp_split_to_table regexp_count regexp_instr regexp_substr
    string_to_table to_number decode sha224 sha384 sha512 convert_from parse_ident every bit_xor
    array_position array_positions array_append array_prepend array_cat array_remove array_replace
    array_dims array_ndims array_lower array_upper cardinality trim_array json_build_object
    jsonb_build_object json_build_array jsonb_build_array jsonb_agg json_object_agg jsonb_object_agg
    json_array_length jsonb_array_length json_array_elements jsonb_array_elements
    json_array_elements_text jsonb_array_elements_text json_each jsonb_each json_each_text
    jsonb_each_text json_object_keys jsonb_object_keys json_typeof jsonb_typeof json_extract_path
    jsonb_extract_path json_extract_path_text jsonb_extract_path_text jsonb_path_query
    jsonb_path_query_array jsonb_path_query_first jsonb_path_exists jsonb_strip_nulls to_json
    to_jsonb array_to_json row_to_json row range_agg lower_inc upper_inc isempty daterange int4range
    numrange tsrange host family masklen to_tsvector to_tsquery plainto_tsquery
    websearch_to_tsquery ts_rank regr_avgx regr_avgy any_value
"""
_MYSQL_NAMES_TEXT = """
    now sysdate adddate subdate addtime subtime makedate maketime period_add period_diff sec_to_time
    time_to_sec from_days unix_timestamp microsecond yearweek weekday timestampadd time_format
    utc_timestamp field find_in_set mid strcmp ord conv bin oct crc32 quote json_unquote json_array
    json_length json_contains json_contains_path json_valid json_arrayagg json_depth json_search
    json_compact json_merge_preserve json_query json_exists regexp_substr regexp_instr isnull
    inet_aton inet_ntoa bit_xor row octet_length to_base64 from_base64 natural_sort_key
"""
_NAMES: dict[Dialect, frozenset[str]] = {
    "duckdb": _DUCKDB_NAMES,
    "sqlite": SQLITE_FUNCTIONS,
    "postgres": frozenset(_POSTGRES_NAMES_TEXT.split()),
    "mysql": frozenset(_MYSQL_NAMES_TEXT.split()),
}

# The classes of sqlglot for the rest.
_CLASSES: frozenset[type[exp.Expr]] = frozenset(
    {
        # numbers
        exp.Abs, exp.Acos, exp.Acosh, exp.Asin, exp.Asinh, exp.Atan, exp.Atan2, exp.Atanh,
        exp.Cbrt, exp.Ceil, exp.Cos, exp.Cosh, exp.Cot, exp.Degrees, exp.Exp, exp.Factorial,
        exp.Floor, exp.Greatest, exp.IsInf, exp.IsNan, exp.Least, exp.Ln, exp.Log,
        exp.Pi, exp.Pow, exp.Radians, exp.Rand, exp.Round, exp.Sign, exp.Sin, exp.Sinh, exp.Sqrt,
        exp.Tan, exp.Tanh, exp.Trunc, exp.WidthBucket,
        # text
        exp.Ascii, exp.BitLength, exp.Chr, exp.Concat, exp.ConcatWs, exp.Contains, exp.EndsWith,
        exp.Format, exp.Hex, exp.Initcap, exp.JarowinklerSimilarity, exp.Left,
        exp.Length, exp.Levenshtein, exp.Lower, exp.MD5, exp.Pad, exp.RegexpExtract,
        exp.RegexpExtractAll, exp.RegexpFullMatch, exp.RegexpLike, exp.RegexpReplace,
        exp.Repeat, exp.Replace, exp.Reverse, exp.Right, exp.SHA2, exp.Soundex, exp.Split,
        exp.SplitPart, exp.StartsWith, exp.StrPosition, exp.Substring, exp.Translate, exp.Trim,
        exp.Unhex, exp.Unicode, exp.Upper,
        # dates and times
        exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.Date, exp.DateAdd,
        exp.DateBin, exp.DateDiff, exp.DateFromParts, exp.DateSub, exp.DateTrunc, exp.Datetime,
        exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.DayOfWeekIso, exp.DayOfYear, exp.Dayname,
        exp.Extract, exp.Hour, exp.LastDay, exp.Localtime, exp.Localtimestamp, exp.Minute,
        exp.Month, exp.Monthname, exp.Quarter, exp.Second, exp.StrToDate, exp.StrToTime, exp.Time,
        exp.TimeFromParts, exp.TimeStrToTime, exp.TimeToStr, exp.TimeToUnix, exp.Timestamp,
        exp.TimestampDiff, exp.TimestampFromParts, exp.TimestampTrunc, exp.ToDays,
        exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.UnixToTime, exp.Week, exp.WeekOfYear,
        exp.Year,
        # choices and types
        exp.Case, exp.Cast, exp.Coalesce, exp.If, exp.Nullif, exp.Nvl2, exp.Try, exp.TryCast,
        exp.Typeof,
        # aggregates
        exp.AnyValue, exp.ApproxDistinct, exp.ApproxQuantile, exp.ArgMax, exp.ArgMin,
        exp.ArrayAgg, exp.Avg, exp.BitwiseAndAgg, exp.BitwiseOrAgg, exp.BitwiseXorAgg, exp.Corr,
        exp.Count, exp.CountIf, exp.CovarPop, exp.CovarSamp, exp.First, exp.GroupConcat,
        exp.Grouping, exp.GroupingId, exp.JSONArrayAgg, exp.JSONObjectAgg, exp.Kurtosis, exp.Last,
        exp.LogicalAnd, exp.LogicalOr, exp.Max, exp.Median, exp.Min, exp.Mode, exp.PercentileCont,
        exp.PercentileDisc, exp.Quantile, exp.RegrAvgx, exp.RegrAvgy, exp.RegrCount,
        exp.RegrIntercept, exp.RegrR2, exp.RegrSlope, exp.RegrSxx, exp.RegrSxy, exp.RegrSyy,
        exp.Skewness, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Sum, exp.Variance,
        exp.VariancePop,
        # windows
        exp.CumeDist, exp.DenseRank, exp.FirstValue, exp.Lag, exp.LastValue, exp.Lead,
        exp.NthValue, exp.Ntile, exp.PercentRank, exp.Rank, exp.RowNumber,
        # lists, structs and JSON
        exp.Array, exp.ArrayConcat, exp.ArrayContains, exp.ArrayDistinct, exp.ArrayFilter,
        exp.ArrayMax, exp.ArrayMin, exp.ArraySize, exp.ArraySort, exp.ArrayToString, exp.Columns,
        exp.Explode, exp.Flatten, exp.GenerateSeries, exp.JSONExtract, exp.JSONExtractScalar,
        exp.JSONKeys, exp.JSONObject, exp.JSONType, exp.Map, exp.MapKeys, exp.ParseJSON,
        exp.Struct, exp.StructExtract, exp.ToMap, exp.Transform, exp.Unnest,
        # operators that sqlglot counts as functions
        exp.And, exp.Or, exp.Xor, exp.Exists, exp.Collate,
    }
)  # fmt: skip

# Classes that only one dialect reads as what they are here.
_MORE_CLASSES: dict[Dialect, frozenset[type[exp.Expr]]] = {
    "postgres": frozenset(
        {
            exp.Overlay, exp.StringToArray, exp.Encode, exp.SHA2Digest, exp.JSONBExtract,
            exp.JSONBExtractScalar, exp.JSONBContainsTopKey, exp.JSONBContainsAnyTopKeys,
            exp.JSONBContainsAllTopKeys, exp.JSONBExists, exp.ArrayContainsAll,
            exp.ArrayContainedBy, exp.ArrayOverlaps, exp.RegexpILike, exp.JustifyDays,
            exp.MakeInterval, exp.Normalize, exp.Overlaps, exp.MatchAgainst,
            exp.ExplodingGenerateSeries,
        }
    ),
    "mysql": frozenset(
        {
            exp.SubstringIndex, exp.Elt, exp.SHA, exp.NumberToStr, exp.JSONValue, exp.RegexpSubstr,
            exp.RegexpInstr, exp.MatchAgainst, exp.Space, exp.Stuff, exp.BitwiseCount,
        }
    ),
}  # fmt: skip
_WITH_LISTS = (exp.Unnest, exp.Explode, exp.GenerateSeries, exp.ExplodingGenerateSeries)
_DUCKDB_ONLY = (exp.Columns, exp.Transform)
_NOT_SQLITE = (exp.RegexpLike, exp.RegexpReplace, exp.RegexpExtract, exp.RegexpFullMatch)
# Functions of PostgreSQL that give a table, and whose length their arguments already have.
_TABLE_NAMES_TEXT = """
    json_array_elements jsonb_array_elements json_array_elements_text jsonb_array_elements_text
    json_each jsonb_each json_each_text jsonb_each_text json_object_keys jsonb_object_keys
    regexp_matches regexp_split_to_table string_to_table jsonb_path_query
"""
TABLE_NAMES = frozenset(_TABLE_NAMES_TEXT.split())
# Functions whose result is as long as an argument says: they could fill the memory.
_LONGEST_TEXT = 1000
_LONGEST_SERIES = 1_000_000
_LARGE_STEPS = re.compile(
    r"[1-9]\d{0,3} ?(?:hour|day|week|month|quarter|year|decade)s?", re.IGNORECASE
)


def refused_function(node: exp.Expr, dialect: Dialect) -> str | None:
    """Why this call is refused, or None when it may run."""
    if isinstance(node, exp.Anonymous):
        if node.name.lower() in _NAMES[dialect] and not isinstance(node.this, exp.Expr):
            return None
        return f"the function {node.name} is not allowed"
    if type(node) not in _CLASSES and type(node) not in _MORE_CLASSES.get(dialect, ()):
        return f"the function {_sql_name(node)} is not allowed"
    if isinstance(node, _DUCKDB_ONLY) and dialect != "duckdb":
        return f"the function {_sql_name(node)} is not one of {LABELS[dialect]}"
    if isinstance(node, _WITH_LISTS) and dialect in ("sqlite", "mysql"):
        return f"the function {_sql_name(node)} is not one of {LABELS[dialect]}"
    if isinstance(node, _NOT_SQLITE) and dialect == "sqlite":
        return f"the function {_sql_name(node)} is not one of SQLite"
    if isinstance(node, (exp.GenerateSeries, exp.ExplodingGenerateSeries)):
        return _refused_series(node, dialect)
    if isinstance(node, (exp.Repeat, exp.Pad, exp.Space)) and dialect != "sqlite":
        return _refused_length(node)
    if isinstance(node, exp.Format) and dialect != "sqlite":
        return _refused_format(node, dialect)
    return None


def _sql_name(node: exp.Expr) -> str:
    return node.sql_name().lower() if isinstance(node, exp.Func) else type(node).__name__


def _refused_series(node: exp.Expr, dialect: Dialect) -> str | None:
    if not isinstance(node.parent, exp.Table):
        return "generate_series and range are allowed only as a table after FROM or JOIN"
    if dialect == "duckdb":
        return None  # it makes the rows one by one, and the memory has a limit
    low, high, step = (node.args.get(key) for key in ("start", "end", "step"))
    if low is not None and high is not None and low.is_int and high.is_int:
        if abs(high.to_py() - low.to_py()) <= _LONGEST_SERIES:
            return None
    elif isinstance(step, exp.Interval) and _LARGE_STEPS.fullmatch(_interval(step)):
        return None
    return (
        f"generate_series needs literal numbers, at most {_LONGEST_SERIES:,} apart, or a step of "
        "an hour or longer"
    )


def _interval(node: exp.Interval) -> str:
    unit = node.args.get("unit")
    return f"{node.name} {unit.name}" if unit is not None else node.name


def _refused_length(node: exp.Expr) -> str | None:
    length = node.this if isinstance(node, exp.Space) else _length(node)
    if isinstance(length, exp.Literal) and length.is_int and int(length.name) <= _LONGEST_TEXT:
        if node.this.find(exp.Repeat, exp.Pad, exp.Space) is None:
            return None
        return f"{_sql_name(node)} cannot make a text longer that another one made long"
    return f"the length given to {_sql_name(node)} must be a number up to {_LONGEST_TEXT}"


def _length(node: exp.Expr) -> object:
    return node.args.get("times") or node.args.get("expression")


def _refused_format(node: exp.Expr, dialect: Dialect) -> str | None:
    """A width in a format, such as `{:>1000000000}` or `%1000000000s`, makes a long text."""
    pattern = node.this
    digits = "".join(each if each.isdecimal() else " " for each in pattern.name).split()
    from_argument = "{}}" in pattern.name if dialect == "duckdb" else "*" in pattern.name
    if pattern.is_string and not from_argument and all(len(each) < 4 for each in digits):
        return None
    return f"format needs a literal pattern whose widths are up to {_LONGEST_TEXT}"
