"""General English of what columns are about: adjectives, synonyms, short forms."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _forms(word: str) -> tuple[str, ...]:
    """An adjective with its comparative and superlative."""
    if word.endswith("y"):
        return word, word[:-1] + "ier", word[:-1] + "iest"
    if word.endswith("e"):
        return word, word + "r", word + "st"
    double = word + word[-1] if word in ("big", "hot") else word
    return word, double + "er", double + "est"


# Adjective: the words of the columns that it may speak of, the likeliest first. A minus says that
# more of the adjective is less of the column.
_SCALES_TEXT = """
    old: age birth- birthday- dob- opened- open- founded- built- start- year- date-
    young: age- birth birthday dob
    tall: height elevation
    high: height elevation altitude
    short: height- length- duration- distance- runtime- time- millisecond- minute-
    long: length duration distance runtime time millisecond second minute
    heavy: weight mass tonnage
    light: weight- mass-
    expensive: price cost fee amount
    costly: price cost fee amount
    cheap: price- cost- fee- amount-
    large: size area capacity population
    big: size area capacity population
    small: size- area- capacity- population-
    populous: population pop
    populated: population pop
    fast: speed velocity time-
    slow: speed- velocity- time
    new: date year time
    recent: date year time
    late: date year time
    early: date- year- time-
    warm: temperature
    hot: temperature
    cold: temperature-
    deep: depth
    loud: loudness volume
    wide: width
    rich: wealth income worth
"""

# Verbs of measure: the words of the columns that they may speak of, the likeliest first.
_MEASURING_TEXT = """
    cost costs costing costed: price cost fee
    weigh weighs weighing weighed: weight mass
    earn earns earning earned: salary income earnings wage pay
    last lasts lasting lasted: duration length runtime time
    accommodate accommodates accommodating hold holds holding seat seats sit sits fit fits:
        capacity occupancy seat
    live living lived: population
    aged: age
    paid: salary pay wage income earnings
    rated: rating score stars
    priced: price cost
    scoring scored: score points
"""


def _measuring() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _MEASURING_TEXT.strip().replace(":\n", ": ").splitlines():
        verbs, _, columns = line.strip().partition(": ")
        found.update(dict.fromkeys(verbs.split(), tuple(columns.split())))
    return found


MEASURING = _measuring()

# Superlatives of which each turns the other round.
_OPPOSITES_TEXT = """
    highest lowest, largest smallest, biggest smallest, greatest smallest, most fewest, most least,
    best worst, top bottom, maximum minimum, max min, oldest youngest, newest oldest,
    tallest shortest, longest shortest, heaviest lightest, fastest slowest, latest earliest,
    hottest coldest, warmest coldest
"""


def _opposites() -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in _OPPOSITES_TEXT.replace("\n", " ").split(","):
        one, other = pair.split()
        found.setdefault(one, other)
        found.setdefault(other, one)
    return found


OPPOSITES = _opposites()

LONG_ADJECTIVES = ("recently", "expensive", "costly", "populous", "populated", "recent")


def _scales() -> dict[str, tuple[tuple[str, bool], ...]]:
    found: dict[str, tuple[tuple[str, bool], ...]] = {}
    for line in _SCALES_TEXT.strip().splitlines():
        adjective, _, columns = line.strip().partition(": ")
        fields = tuple((c.rstrip("-"), not c.endswith("-")) for c in columns.split())
        found.update(dict.fromkeys(_forms(adjective), fields))
    found["recently"] = found["recent"]
    return found


SCALES = _scales()
_BASES = tuple(line.strip().partition(":")[0] for line in _SCALES_TEXT.strip().splitlines())
COMPARATIVES = tuple(_forms(word)[1] for word in _BASES)
SUPERLATIVES = tuple(_forms(word)[2] for word in _BASES if word not in LONG_ADJECTIVES)

# Words of one meaning in the names of columns, one group a line.
_SYNONYMS_TEXT = """
    country nation
    job occupation profession
    salary pay wage earnings income
    gender sex
    price cost
    city town
    population resident inhabitant
    altitude elevation
    movie film
    employee staff worker
    customer client
    company firm corporation enterprise
    car vehicle automobile
    phone telephone
    mail email
    start begin
    identifier id
    date day
    product item good
    amount quantity
    pupil student
    teacher instructor professor lecturer
    singer artist musician
    location place
    home house residence
    zip postcode postal
    firstname forename
    lastname surname
    birthday dob
    headquarter hq office
    nationality citizenship
    description detail
    kind type category
    result outcome
    score point
    income revenue
    revenue sale turnover proceeds total amount
    duration length
    size capacity
    hometown home
    average mean avg
    maximum max highest
    minimum min lowest
"""


def _synonyms() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _SYNONYMS_TEXT.strip().splitlines():
        group = frozenset(line.split())
        for word in group:
            found[word] = found.get(word, frozenset()) | group - {word}
    return found


SYNONYMS = _synonyms()

# Short forms that are usual in column names and are no prefix of the word.
_SHORT_FORMS_TEXT = """
    no=number nbr=number num=number nr=number qty=quantity amt=amount addr=address
    dept=department mgr=manager yr=year dob=birthday pct=percent perc=percentage
    dest=destination src=source ctry=country acct=account cust=customer emp=employee
    prod=product desc=description temp=temperature avg=average max=maximum
    min=minimum exp=expectancy cap=capita lat=latitude long=longitude lng=longitude
    pop=population tel=telephone msrp=price hp=horsepower hs=hours ht=height
    wt=weight fname=forename lname=surname mpg=mileage dep=departure arr=arrival
    univ=university loc=location org=organization std=standard sqft=footage
    cnt=count ttl=total mo=month enr=enrollment lvl=level mov=movement descr=description
    inv=inventory whse=warehouse wh=warehouse sess=session conv=conversion impr=impression per=per
"""
SHORT_FORMS = {
    short: word for short, _, word in (pair.partition("=") for pair in _SHORT_FORMS_TEXT.split())
}

# Parts of a column's name that a question may leave out.
UNITS = frozenset(
    _words("""acre billion billions c cm degree dollar dollars eur euro euros f feet foot gb
    hectare hour in inch kg km lb m mb meter metre mile million millions minute mph
    of pct per percent pound second sq square the thousand to ton unit usd""")
)

# Nouns for the two usual values of a column about sex.
PEOPLE = {
    **dict.fromkeys(
        _words("female females woman women girl girls lady ladies"),
        ("f", "female", "w", "weiblich"),
    ),
    **dict.fromkeys(
        _words("male males man men boy boys gentleman gentlemen"), ("m", "male", "männlich")
    ),
}

# Other names of countries and states, one group a line.
_OTHER_NAMES_TEXT = """
    us, usa, u.s., u.s.a., united states, united states of america, america, american
    uk, u.k., united kingdom, great britain, british
    uae, united arab emirates
    ussr, soviet union
    al, alabama; ak, alaska; az, arizona; ar, arkansas; ca, california; co, colorado
    ct, connecticut; de, delaware; fl, florida; ga, georgia; hi, hawaii; id, idaho
    il, illinois; in, indiana; ia, iowa; ks, kansas; ky, kentucky; la, louisiana; me, maine
    md, maryland; ma, massachusetts; mi, michigan; mn, minnesota; ms, mississippi; mo, missouri
    mt, montana; ne, nebraska; nv, nevada; nh, new hampshire; nj, new jersey; nm, new mexico
    ny, new york; nc, north carolina; nd, north dakota; oh, ohio; ok, oklahoma; or, oregon
    pa, pennsylvania; ri, rhode island; sc, south carolina; sd, south dakota; tn, tennessee
    tx, texas; ut, utah; vt, vermont; va, virginia; wa, washington; wv, west virginia
    wi, wisconsin; wy, wyoming
"""


def _other_names() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in _OTHER_NAMES_TEXT.replace("\n", ";").split(";"):
        names = tuple(name.strip() for name in group.split(",") if name.strip())
        for name in names:
            found[name] = tuple(other for other in names if other != name)
    return found


# Codes that data may have for the name of a country.
_CODES_TEXT = """
    germany=de,deu,ger france=fr,fra spain=es,esp italy=it,ita austria=at,aut poland=pl,pol
    switzerland=ch,che netherlands=nl,nld holland=nl,nld belgium=be,bel sweden=se,swe
    denmark=dk,dnk norway=no,nor finland=fi,fin portugal=pt,prt ireland=ie,irl greece=gr,grc
    canada=ca,can japan=jp,jpn china=cn,chn india=in,ind brazil=br,bra australia=au,aus
    mexico=mx,mex turkey=tr,tur russia=ru,rus ukraine=ua,ukr uk=gb,gbr britain=gb,gbr america=us
    usa=us us=usa
"""


def _with_codes(names: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    for name, _, codes in (each.partition("=") for each in _CODES_TEXT.split()):
        known = names.get(name, ())
        names[name] = tuple(dict.fromkeys((*known, *codes.split(","))))
    return names


# What people and things of a country are called.
_PEOPLES_TEXT = """
    german=germany french=france spanish=spain italian=italy austrian=austria polish=poland
    swiss=switzerland dutch=netherlands belgian=belgium swedish=sweden danish=denmark
    norwegian=norway finnish=finland portuguese=portugal irish=ireland greek=greece canadian=canada
    japanese=japan chinese=china indian=india brazilian=brazil australian=australia mexican=mexico
    turkish=turkey russian=russia ukrainian=ukraine hungarian=hungary czech=czechia
    korean=korea egyptian=egypt israeli=israel argentinian=argentina chilean=chile
"""


def _with_peoples(names: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    for people, _, country in (each.partition("=") for each in _PEOPLES_TEXT.split()):
        names[people] = (country, *names.get(country, ()))
    return names


OTHER_NAMES = _with_peoples(_with_codes(_other_names()))
