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

# Words of this lexicon that are English words as well and mean something else there.
ENGLISH_TOO = """
    art tag land bar ort gut name region position budget plan partner patient ist alter note
    personal stern quote lager laden posten minute tage ware april august september november
    absatz kind neu weg warum mark zahl modell ust recht ost plane mann manner main planet
"""
