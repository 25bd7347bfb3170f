"""The functions that a query may call. What is not named here is refused."""

from __future__ import annotations

from sqlglot import exp

from flows.data.tables import Dialect

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

_NAMES: dict[Dialect, frozenset[str]] = {"duckdb": _DUCKDB_NAMES, "sqlite": SQLITE_FUNCTIONS}

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

_DUCKDB_ONLY = (exp.GenerateSeries, exp.Unnest, exp.Explode, exp.Columns, exp.Transform)
# Functions whose result is as long as an argument says: they could fill the memory.
_LONGEST_TEXT = 1000


def refused_function(node: exp.Expr, dialect: Dialect) -> str | None:
    """Why this call is refused, or None when it may run."""
    if isinstance(node, exp.Anonymous):
        if node.name.lower() in _NAMES[dialect] and not isinstance(node.this, exp.Expr):
            return None
        return f"the function {node.name} is not allowed"
    if type(node) not in _CLASSES:
        return f"the function {_sql_name(node)} is not allowed"
    if dialect == "sqlite" and isinstance(node, _DUCKDB_ONLY):
        return f"the function {_sql_name(node)} is not one of SQLite"
    if isinstance(node, exp.GenerateSeries) and not isinstance(node.parent, exp.Table):
        return "generate_series and range are allowed only as a table after FROM or JOIN"
    if isinstance(node, (exp.Repeat, exp.Pad)) and dialect == "duckdb":
        return _refused_length(node)
    if isinstance(node, exp.Format) and dialect == "duckdb":
        return _refused_format(node)
    return None


def _sql_name(node: exp.Expr) -> str:
    return node.sql_name().lower() if isinstance(node, exp.Func) else type(node).__name__


def _refused_length(node: exp.Expr) -> str | None:
    length = node.args.get("times") or node.args.get("expression")
    if isinstance(length, exp.Literal) and length.is_int and int(length.name) <= _LONGEST_TEXT:
        return None
    return f"the length given to {_sql_name(node)} must be a number up to {_LONGEST_TEXT}"


def _refused_format(node: exp.Expr) -> str | None:
    """A width in a format, such as `{:>1000000000}`, makes a text of that length."""
    pattern = node.this
    digits = "".join(each if each.isdigit() else " " for each in pattern.name).split()
    if pattern.is_string and "{}}" not in pattern.name and all(len(each) < 4 for each in digits):
        return None
    return f"format needs a literal pattern whose widths are up to {_LONGEST_TEXT}"
