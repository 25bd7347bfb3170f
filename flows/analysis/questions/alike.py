"""Nouns for the same things: what people say, and what tables are called."""

from __future__ import annotations

# A group a line.
ALIKE = """
    book title publication novel
    game match fixture
    team club squad
    crowd attendance spectator audience
    player scorer athlete
    reader borrower patron member
    loan checkout lending borrowing
    load delivery shipment consignment
    parcel package shipment consignment
    trip ride journey
    outage blackout interruption
    stoppage downtime breakdown standstill interruption outage
    machine equipment device
    failure fault breakdown defect
    booking reservation
    guest visitor
    student pupil learner
    course class module lecture
    enrolment enrollment
    teacher instructor lecturer tutor professor
    exam examination test
    admission hospitalization
    doctor physician clinician
    appointment consultation visit
    treatment procedure therapy
    drug medicine medication
    donation gift contribution pledge
    donor giver supporter
    volunteer helper
    farmer grower
    vehicle truck lorry van car
    driver courier
    depot warehouse hub
    measurement reading
    tariff plan
    contract agreement
    invoice bill
    order purchase
    supplier vendor
    office branch site
    flat apartment
    tenant renter
    ticket incident issue
    song track tune
    screening showing performance
    review comment
    transaction payment
    sample specimen
    vacancy opening
    applicant candidate
    expense spending expenditure
    warehouse storehouse
    ship vessel boat
    container box
    quay berth dock pier
    film movie
    screening show showing performance
    car vehicle automobile
    lesson session tutorial
    quiz test exam
    kid child
    tutor coach trainer
    gift donation
    campaign appeal
    plot field parcel
    bike bicycle
    trip tour
    farm estate
    animal pet
    dish meal
    recipe dish
    employer company
    sensor device probe
    truck lorry
    flight departure
    branch store shop outlet
    fault malfunction error incident
    connection hookup
    mechanic fitter
    technician mechanic engineer
    repair maintenance
    inspection check audit
    complaint grievance
    household home
"""
