"""German words of business: what the names, values and questions of German data mean in English.

Each line has German words before the colon and the English word behind it. Nouns and verbs stand
without endings; words that stand only inside others (`bestell` of `Bestelldatum`) stand there too.
"""

from __future__ import annotations

# Nouns, verbs and adjectives, as they stand in names, values and questions.
WORDS = """
    umsatz erlös verkaufserlös: revenue
    umsätze: revenue
    gewinn überschuss: profit
    ertrag einnahme einkünfte: income
    verlust: loss
    marge deckungsbeitrag spanne: margin
    kosten aufwand: cost
    ausgabe: expense
    preis: price
    einzel: unit
    stück einheit: unit
    stückzahl menge anzahl: quantity
    betrag gesamtbetrag gesamtsumme gesamtpreis endbetrag: amount
    wert: value
    summe gesamt: total
    netto: net
    durchschnitt: average
    brutto: gross
    steuer: tax
    mwst umsatzsteuer mehrwertsteuer ust: vat
    rabatt nachlass ermäßigung: discount
    skonto: discount
    gebühr: fee
    provision: commission
    gutschrift: credit
    saldo guthaben: balance
    schuld: debt
    währung: currency
    kunde kundin kund: customer
    käufer: buyer
    firma unternehmen: company
    lieferant zulieferer: supplier
    hersteller: manufacturer
    anbieter: provider
    händler: dealer
    partner: partner
    mitarbeiter mitarbeiterin angestellte beschäftigte personal: employee
    vertreter: representative
    betreuer ansprechpartner: contact
    leiter vorgesetzte: manager
    führungskraft: manager
    abteilung: department
    bereich: area
    stelle position funktion: position
    filiale niederlassung geschäft laden: store
    standort: location
    ort orte: city
    stadt städte: city
    gemeinde: town
    land länder: country
    bundesland bundesländer: state
    region gebiet: region
    straße: street
    adresse anschrift: address
    plz postleitzahl: zip
    rechnung: invoice
    bestell bestellung auftrag aufträge: order
    position posten: item
    zahlung zahl: payment
    zahlungseingang: payment
    überweisung: transfer
    lastschrift: debit
    vorkasse: prepayment
    bar bargeld: cash
    kreditkarte: creditcard
    buchung buch: booking
    reservierung: reservation
    vertrag verträge: contract
    angebot: quote
    kauf einkauf käufe: purchase
    verkauf verkäufe absatz: sale
    vertrieb: sales
    lieferung liefer: delivery
    versand: shipping
    rücksendung retoure rückgabe: return
    mahn mahnung: reminder
    stufe: level
    artikel: article
    produkt: product
    ware: goods
    gruppe: group
    kategorie: category
    sorte: kind
    art arten typ typen: type
    marke: brand
    modell: model
    farbe: color
    größe: size
    gewicht: weight
    länge: length
    breite: width
    höhe: height
    fläche: area
    lager: warehouse
    bestand bestände: stock
    mindest: minimum
    datum tag zeitpunkt: date
    zeit: time
    dauer: duration
    tage: days
    stunde: hours
    minute: minutes
    woche: week
    monat monats: month
    quartal: quarter
    jahr jahres: year
    beginn anfang: start
    ende: end
    frist: deadline
    fällig: due
    fälligkeit: due
    alter: age
    geburt geburts: birth
    geschlecht: gender
    name bezeichnung: name
    vorname: first-name
    nachname familienname: last-name
    nummer nr kennung: number
    kennzeichen: mark
    beschreibung: description
    bemerkung kommentar notiz: note
    grund gründe: reason
    zustand: status
    titel: title
    gehalt gehälter vergütung: salary
    lohn löhne: wage
    grundgehalt: salary
    eintritt einstellung: hire
    austritt kündigung: leaving
    urlaub: vacation
    krankheit krank fehl: sick
    überstunden: overtime
    arbeit arbeits: work
    ausbildung abschluss: education
    bewertung note: rating
    punkt punktzahl: score
    zufriedenheit: satisfaction
    anteil: share
    quote: rate
    satz: rate
    plan soll: plan
    ist: actual
    ziel: target
    budget: budget
    weg: channel
    kanal kanäle: channel
    methode weise: method
    gerät: device
    maschine: machine
    fehler: error
    ausschuss: scrap
    störung ausfall: outage
    projekt: project
    priorität: priority
    reise: trip
    gast gäste: guest
    zimmer: room
    nacht nächte übernachtung: night
    anreise ankunft: arrival
    abreise: departure
    schüler: pupil
    patient: patient
    besuch: visit
    besucher: visitor
    nutzer benutzer: user
    anmeldung registrierung: registration
    abo abonnement: subscription
    mitglied: member
    fahrzeug: vehicle
    fahrt: ride
    strecke entfernung: distance
    verbrauch: consumption
    verbrauchsmaterial: consumables
    erste erst: first
    letzte letzt: last
    seit: since
    einwohner: population
    möbel: furniture
    technik: technology
    kleidung bekleidung: clothing
    lebensmittel: food
    getränke: drinks
    elektronik: electronics
    spielzeug: toys
    bücher: books
    zubehör: accessories
    haushalt: household
    garten: garden
    büro: office
    stuhl: chair
    schreibtisch tisch: table
    drucker: printer
    papier: paper
    schrank: cabinet
    produktion fertigung: production
    buchhaltung: accounting
    verwaltung: administration
    entwicklung: development
    forschung: research
    recht: legal
    großkunde: key-account
    privatkunde: private-customer
    geschäftskunde: business-customer
    neukunde: new-customer
    stammkunde: regular-customer
    vollzeit: full-time
    teilzeit: part-time
    befristet: temporary
    unbefristet: permanent
    außendienst: field-sales
    telefon: phone
    filialverkauf: store
    nord norden nördlich: north
    süd süden südlich: south
    ost osten östlich: east
    westen westlich: west
    männlich: male
    weiblich: female
    ja: yes
    nein: no
    offen: open
    geschlossen abgeschlossen: closed
    erledigt: done
    bezahlt beglichen: paid
    unbezahlt: unpaid
    überfällig: overdue
    storniert abgesagt: cancelled
    storno stornierung: cancellation
    versendet versandt verschickt: shipped
    geliefert zugestellt ausgeliefert: delivered
    zurückgegeben zurückgesendet: returned
    bearbeitung: processing
    gekündigt: terminated
    aktiv: active
    inaktiv: inactive
    gesperrt: blocked
    neu: new
    hoch: high
    mittel: medium
    niedrig gering: low
    dringend: urgent
    gut: good
    schlecht: bad
    verspätet: late
    verspätung verzug: delay
    pünktlich: punctual
    mangelhaft defekt: defective
    frau: female
    herr mann: male
    deutschland: germany
    österreich: austria
    schweiz: switzerland
    frankreich: france
    italien: italy
    spanien: spain
    niederlande: netherlands
    belgien: belgium
    großbritannien: uk
    polen: poland
    münchen: munich
    köln: cologne
    wien: vienna
    nürnberg: nuremberg
    januar jänner: january
    februar: february
    märz: march
    april: april
    mai: may
    juni: june
    juli: july
    august: august
    september: september
    oktober: october
    november: november
    dezember: december
    montag: monday
    dienstag: tuesday
    mittwoch: wednesday
    donnerstag: thursday
    freitag: friday
    samstag sonnabend: saturday
    sonntag: sunday
"""

# Words and phrases that questions are made of, each with what it is in English.
PHRASES = """
    wie viele|wieviele|wie viel|wieviel|anzahl|anzahl der|anzahl von|zahl der|wie oft=how many
    wie viel umsatz|wieviel umsatz=how much revenue
    wie hoch ist|wie hoch sind|wie hoch war|wie hoch waren|was ist|was war|wie groß ist=what is
    wie lange=how long
    wie=how
    welche|welcher|welches|welchen|welchem=which
    wer|wem|wen=who
    was=what
    wann=when
    wo=where
    zeige|zeig|zeige mir|zeig mir|nenne|liste=show
    nach=by
    pro|je|für jeden|für jede|für jedes|je nach|jeder|jede|jedes|jedem|jeden=per
    nach dem=after
    durchschnittlich|durchschnitt|im durchschnitt|im schnitt|mittelwert|im mittel=average
    median=median
    insgesamt|gesamt|in summe=total
    summe der|summe von|summe=total
    höchst|am höchsten=highest
    größt|am größten=largest
    meist|am meisten|häufigst|am häufigsten=most
    niedrigst|kleinst|am niedrigsten|geringst=lowest
    wenigst|am wenigsten=least
    best|am besten=best
    schlechtest=worst
    teuerst|am teuersten=most expensive
    billigst|günstigst=cheapest
    ältest=oldest
    jüngst=youngest
    längst|am längsten=longest
    kürzest=shortest
    mehr als|größer als|höher als=more than
    weniger als|kleiner als|unter=less than
    mindestens=at least
    höchstens|maximal=at most
    über=over
    zwischen=between
    und=and
    oder=or
    nicht=not
    kein=no
    nie|niemals|noch nie=never
    ohne=without
    mit=with
    von|vom|des=of
    aus=from
    bis=to
    im|in|am|zum|zur|beim=in
    für=for
    seit=since
    vor=before
    im vergleich zu|verglichen mit|gegenüber|versus=compared to
    anteil der|anteil von|anteil am|anteil an|welcher anteil|anteil=share of
    wie viel prozent|wieviel prozent|wie viele prozent=what percentage of
    prozent|prozentual=percent
    noch=still
    vergleiche|vergleich=compare
    verschieden|unterschiedlich=different
    absteigend sortiert|absteigend=descending
    aufsteigend sortiert|aufsteigend=ascending
    sortiert|sortiere=sorted
    entwickelte sich|hat sich entwickelt|veränderte sich|entwickelt|verändert|geändert=changed
    entwicklung|veränderung=change of
    erhalten|bekommen|bekam|bekamen=received
    gekostet=cost
    fehlt|fehlen|fehlend=missing
    rangliste=ranking
    doppelt=duplicate
    ungefähr|etwa|circa|ca|rund=about
    ist|sind|war|waren|wird|werden|wurde|wurden=are
    kommen|kommt|kamen=come
    hat|haben|hatte|hatten|gibt es|gab es|gibt|gab=have
    monatlich=monthly
    jährlich=yearly
    wöchentlich=weekly
    täglich=daily
    wochentag=weekday
    verdienen|verdient=earn
    verkauft=sold
    gekauft=bought
    bestellt=ordered
    arbeiten|arbeitet=work
    wohnen|wohnt=live
    kosten|kostet=cost
    der|die|das|den|dem|ein|eine|einen|einer|eines|einem=the
    wir|uns|unser|es|sich|alle|aller|allen|denn|bitte|mal|da|zu|auf|bei|an|dort|davon|jeweils=
    eins=1
    zwei|zweier=2
    drei=3
    vier=4
    fünf=5
    sechs=6
    sieben=7
    acht=8
    neun=9
    zehn=10
    zwölf=12
    letzten monat|im letzten monat|vergangenen monat=last month
    elf=11
    zwanzig=20
    fünfzig=50
    hundert=100
    tausend=1000
    zweit=second
    dritt=third
    viert=fourth
    erstes quartal|ersten quartal=q1
    zweites quartal|zweiten quartal=q2
    drittes quartal|dritten quartal=q3
    viertes quartal|vierten quartal=q4
    erstes halbjahr|ersten halbjahr|erste hälfte|ersten hälfte=first half of
    zweites halbjahr|zweiten halbjahr|zweite hälfte|zweiten hälfte=second half of
    dieses jahr|in diesem jahr|diesem jahr=this year
    diesen monat|in diesem monat|diesem monat=this month
    dieses quartal|in diesem quartal|diesem quartal=this quarter
    letztes quartal|im letzten quartal|letzten quartal=last quarter
    letzte woche|in der letzten woche=last week
    letztes jahr|letzten jahr|im letzten jahr|im vergangenen jahr=last year
"""

# Words of this lexicon that are English words as well and mean something else there.
ENGLISH_TOO = """
    art tag land bar ort gut name region position budget plan partner patient ist alter note
    personal stern quote lager laden posten minute tage ware april august september november
    absatz kind neu weg warum mark zahl modell ust recht ost plane mann manner main planet
"""
