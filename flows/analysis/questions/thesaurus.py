"""General English of business: which words of column names a word of a question may mean.

Each line has words of questions before the colon and words of columns behind it, the likeliest
first. Words of columns are single: `unit price` is found by `price`.
"""

from __future__ import annotations

# Words for things that are measured or told.
NOUNS = """
    revenue sales turnover income takings proceeds billing:
        revenue sale turnover billing income takings amount total gross mrr arr fee fare
    money cash: revenue sale amount gross total income value price
    profit gain earnings surplus: profit gain earnings margin income
    margin markup: margin profit
    cost expense expenditure outlay outgoings: cost expense expenditure spend actual fee price
    spend spending: spend spending actual cost expense expenditure amount
    price: price rate fare cost fee
    pay paycheck wage salary compensation payroll remuneration: salary pay wage compensation income
    plan target goal forecast quota estimate: plan quota estimate estimated planned
        budget target goal forecast
    volume quantity unit piece item: quantity unit volume piece count qty
    headcount workforce: employee headcount staff
    rating score satisfaction star happiness review feedback appraisal: rating score csat
        satisfaction nps performance
    seniority service tenure experience: tenure seniority experience service
    size: size area employee population
    method way mode means: method type mode
    wealth: wealth income gdp worth
    income: income salary earnings gdp
    joining join joined start started starting hiring hire hired onboarding: hire hired start join
        joined joining begin signup
    resignation resign resigned quit departure leaver: termination left leaving resignation exit end
        churned
    signup registration register registered enrolment: signup registered registration enrolled
    cancellation cancel cancelled churned: cancelled cancellation churned canceled end
    renewal extension: renewal extension
    birthday: birth birthday
    illness sickness ill sick: sick illness
    surname: surname last
    forename: forename first given
    extra allowance: bonus extra allowance
    buying procurement acquisition: purchase buying acquisition cost
    expiry expiration: expiry expiration expires
    reserve reserved: reserved allocated
    shelf bin rack: bin shelf rack location
    ward unit: ward unit department
    admission: admitted admission
    discharge release: discharged discharge release
    readmission: readmitted readmission
    outcome result: outcome result score
    seriousness gravity: severity
    landing: arrival arr landing
    takeoff departing: departure dep takeoff
    destination: destination dest
    origin source: origin source
    aircraft plane airplane: aircraft plane tailnum
    capacity: capacity seat
    reporter requester requestor: requester reporter customer
    reply answer response: reply response answer
    opening opened creation created: created opened opening
    resolution: resolution resolved
    broker realtor: agent broker realtor
    space surface: area space surface floor
    land plot: lot land plot
    home house property building: property home house building
    built construction: built construction
    asking: asking list
    final: sold final closing
    clickthrough: ctr
    impression: impression view
    audience: audience segment target
    campaign ad advert: campaign ad
    channel: channel source medium
    lead: lead
    course program programme study: programme program course major
    grant stipend: scholarship grant stipend
    attendance presence: attendance presence
    exam test: exam test score
    graduation: graduated graduation
    complaint: complaint ticket
    refund: refund returned
    recommendation: nps recommend
    group kind type sort class: category group type class segment kind
    runtime duration: duration runtime milliseconds length seconds minutes
    lifespan: life lifespan expectancy
    place: place location country city site region
    economy output: gdp output
    inhabitant resident population people: population pop inhabitant resident
    weight tonnage: weight mass tonne ton kilogram kg
    downtime standstill: downtime duration length minute hour
    company firm maker: company firm manufacturer maker brand vendor supplier client customer
    delay lateness: delay late
    distance: distance mile kilometer length
    stock inventory: stock inventory quantity hand
    fee charge: fee charge price cost
    discount rebate reduction: discount rebate reduction
    usage activity: usage login session activity visit consumption energy kwh
    attrition churn: left churned attrition churn exited termination
    longevity lifespan: lifeexp expectancy lifespan
    length duration runtime playtime: duration length millisecond minute second time
    basket: amount total revenue
    temperature: temperature temp
    age: age birth
    licence license seat: seat license licence
    tier package subscription: plan tier package
    sector branch: industry sector
    carrier airline: carrier airline
    boss supervisor manager chief: manager supervisor boss
    role position job: title position role job
    team unit: team department unit
    site office location: site office location branch
    vendor supplier: supplier vendor company
    manufacturer maker: brand manufacturer maker
    depot: warehouse depot
    doctor: physician doctor
    disease: diagnosis illness disease
    bill: total charge amount bill cost price fee
    insurer: insurer insurance
    urgency: priority urgency severity
    subject: topic subject
    agent rep representative: agent assignee representative owner
    click: click
    view: impression view
    prospect: lead prospect
    conversion: conversion
    mark grade: grade gpa mark score
    mentor: advisor mentor
    tuition: tuition fee
    degree qualification education: education degree qualification
    holiday vacation leave: vacation holiday leave
    bonus: bonus
    freight shipping delivery: shipping freight delivery
    nation: country nation
    town: city town
    waste wastage scrap spoilage: waste scrap binned discarded spoiled wasted rejected lost
    yield crop output: yield output production tonne ton weight kg
    acreage: hectare acre area
    ha: hectare
    client customer buyer: customer client buyer company
    consumer: customer client household
    article product good: product article sku
    ticket case: ticket case
    passenger: passenger
    composer author writer: composer author writer
    tune song track: track song
    game fixture match: match game fixture
    club side squad: team club
    fuel consumption mileage: consumption mileage mpg
    consumption: energy kwh fuel power water
    power electricity energy: power energy electricity kwh consumption watt
    visitor traffic: visit visitor session
    debt: debt balance outstanding
    tax: tax vat
    temperature heat: temperature
    solve fix close finish complete handle settle: resolved closed completed finished end
    ship dispatch send: shipped shipment
    arrive deliver: delivered delivery arrival
    stay: night discharged end exit
"""

# Words of set phrases, which are written right as they are.
SAID = """
    weighted overspent underspent overspend underspend overspending underspending overran overrun
    nearest near away
    aov bestseller bestsellers seller sellers mover movers warmer hotcakes percentile centile
    quantile quartile decile cutoff threshold attrition churn retention capita headcount basket
    earner earners spender spenders salesperson stayed remained bc because due previously
    absent absolute accounted accumulate accumulated action advertising ahead amount annual
    annually annum anywhere appear appears autumn band bands beat beats behind besides black
    blew bound bracket brackets busiest cakes cent cetera climb climbed company copies counting
    cpa cpc cpl cpm ctr cumulated cumulating cumulatively cvr daily delta differ differed
    differs double doubled duplicate duplicated dust earth elapsed enterprise etc exact except
    excluding expire expired favorite favourite feet firm foot forth fortnightly fulfil
    fulfilled full furthest gap global globally hourly ignoring indexed instances interval
    joiners lag loss meter meters metre metres mille minutes mom monthly net ninth non noone
    onboarded once ongoing opposed organisation organization outside overdue overshot
    overspenders part peak period person planet portion punctually qoq quarterly quietest rarest
    rather red redundant relation relative repeated resolve resolved right roas sank season
    seasons shrank shrink shrunk single sink smoothed span spot spread spring sqft sqm square
    state stated stick still stronger strongest stuck subscribe subscribed summer surpass
    surpassed terminate terminated terminations terms thousand towards trailing turnaround
    typically underran unprofitable unresolved upper ups upwards user variance weaker weakest
    weekly well whatsoever winter wise words world worldwide wow yearly yet yoy zero
"""

# Several words that are one, with the word.
COMPOUNDS = """
    playing time=runtime, play time=runtime, running time=runtime, run time=runtime,
    head count=headcount, pay check=paycheck, life span=lifespan, per person=per capita,
    took off=departed, take off=depart, takes off=departs,
    per inhabitant=per capita, per head=per capita, per cent=percent, grand total=total,
    model year=year, calendar year=year
"""

# Verbs that speak of a measure.
VERBS = """
    spend spends spent spending spender spenders burn burned burnt: spend spending actual amount
        total revenue sale gross cost expense price
    earn earns earned earning earner earners paid: salary pay wage income earnings revenue
        compensation mrr arr fee fare
    they-spend they-spends they-spent they-spending: spend spending revenue sale amount total
        gross
    we-spend we-spent we-spending we-burn we-burned: spend spending actual cost expense expenditure
        fee budget
    many-sell many-sells many-sold many-buy many-buys many-bought: quantity unit qty piece box
    many-purchased many-order many-ordered many-shipped many-delivered: quantity unit qty piece box
    make makes made: revenue profit sale amount income
    sell sells sold selling seller sellers: revenue sale quantity unit amount total
    throw throws threw thrown discard waste wasted: waste scrap binned discarded spoiled wasted
    bring brings brought generate generates generated contribute contributes: revenue sale amount
        total profit fee
    buy buys bought purchase purchased: quantity unit amount total revenue
    cost costs costing: cost price fee bill charge
    weigh weighs weighed: weight mass
    last lasts lasted take takes took: duration length time runtime
    live lives lived living: population pop
    bill bills billed invoice invoiced: amount total revenue billed net gross
    pay pays: salary pay wage amount total fee fare
    plan plans planned budget budgeted: budget plan planned
    owe owes owed: balance debt amount
    produce produces produced: production output
    rate rates rated: rating score csat
    score scored: score point
"""

# Adjectives: a minus says that more of the adjective is less of the column.
ADJECTIVES = """
    rich: percap capita income wealth worth gdp
    poor: percap- capita- income- wealth- gdp-
    happy: csat satisfaction rating score happiness
    satisfied: csat satisfaction rating score
    unhappy: csat- satisfaction- rating- score-
    pricey: price cost
    profitable: profit margin
    lucrative: profit revenue
    valuable: revenue value amount total
    experienced: tenure experience seniority
    senior: tenure experience seniority hired- joined- hire- joining- employed- start-
    junior: tenure- experience- seniority- hired joined hire joining employed start
    productive: output revenue production
    delayed: delay
    punctual: delay- late- lateness-
    late: delay
    loyal: tenure
    active: login usage session activity
    crowded: population density
    populous populated: population pop inhabitant
    quick: duration- time-
    lengthy: duration length
    overweight: weight
    far: distance
    heavy: weight mass tonne ton kg gross gram
    light: weight- mass- tonne- ton- kg-
    tall: height
    high: height
    deep: depth
    wide: width breadth
    thick: page thickness
    full: occupancy utilisation utilization fill load
    severe: severity
    old: age birth- born-
    young: age- birth born
    dear: price cost fare fee bill amount charge
    big: population size area hectare acre sqm capacity gdp employee revenue amount quantity byte
    large: population size area hectare acre sqm capacity employee amount quantity
    small: population- size- area- hectare- acre- sqm- capacity- employee- amount- quantity-
    expensive: price cost fare fee bill amount charge actual spend
    cheap: price- cost- fare- fee-
    slow: duration time turnaround speed-
    fast: speed duration- time-
    long: duration length time millisecond minute second tenure
    short: duration- length- time- millisecond- minute- second-
    paid: salary pay wage compensation
    hot: temperature temp
    warm: temperature temp
    cold: temperature- temp-
    rainy: precipitation rain rainfall
    dry: precipitation- rain- rainfall- humidity-
    windy: wind
    thick: pages thickness
    thin: pages- thickness-
    heavy: weight mass tonnes kg
    light: weight- mass- tonnes- kg-
    wet: precipitation rain rainfall moisture humidity
    moist: moisture humidity
    powerful: horsepower power
"""

# Names of limits, then words of columns for what is held against them.
LIMITS = """
    plan planned budget budgeted target goal forecast quota estimate estimated expected projected:
        actual real spent spend realised realized achieved done result
    reorder safety restock replenishment minimum min par: stock hand inventory quantity available
        balance
    capacity max maximum seats seat: enrolled occupied used booked attendance participants load
    credit limit: balance used debt
"""

# How people write when they are in a hurry, each with the words that are meant.
CASUAL = """
    ppl=people plz=please pls=please whos=who whats=what wheres=where hows=how u=you ur=your w=with
    n=and gimme=give wanna=want gonna=going thx=thanks tho=though yr=year yrs=years mth=month
    mths=months wk=week wks=weeks hrs=hours mins=minutes secs=seconds approx=about amt=amount
    cust=customer custs=customers dept=department depts=departments mgr=manager prod=product
    prods=products rev=revenue qtr=quarter qty=quantity avg=average temp=temperature info=data
    hav=have beneath=below underneath=below #=number
    hw=how r=are tix=tickets wich=which whcih=which whch=which waht=what teh=the rn=now atm=now
    bc=because cuz=because cos=because coz=because biz=business emp=employee emps=employees
    acct=account accts=accounts txn=transaction txns=transactions inv=invoice invs=invoices
    mkt=marketing mktg=marketing hq=headquarters mgmt=management pymt=payment bal=balance
    pct=percent perc=percentage stdev=deviation num=number nr=number ytd=ytd bday=birthday
"""

# Two words that are written as one.
GLUED = """
    how much, how many, how long, how old, how often, at least, at most, right now, so far
"""

# Words of the first table that are verbs.
DEEDS = "solve fix close finish complete handle settle dispatch arrive deliver"
