"""What people ask that means one of the functions: three loose wordings for each, none with its
name, and questions that none of them answers."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Wording:
    """A question, the function that it means, and the arguments that it gives."""

    function: str
    question: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Half:
    """A module of functions with the questions that mean them, and those that mean none."""

    module: str
    asked: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]]
    unanswered: tuple[str, ...]

    def wordings(self) -> list[Wording]:
        return [
            Wording(name, question, arguments)
            for name, questions in self.asked.items()
            for question, arguments in questions
        ]

    def value_of(self, wording: Wording) -> Any:
        """What the function gives for a question."""
        module = importlib.import_module(f"own_functions.{self.module}")
        return getattr(module, wording.function)(**wording.arguments)


TUNING: Final = Half(
    "tuning_tools",
    {
        "brew_water": (
            ("I have 30 g of coffee, how much water do I pour?", {"coffee": 30}),
            ("What amount of water goes with 22 grams of grounds?", {"coffee": 22}),
            ("How many ml for brewing 18 g of coffee?", {"coffee": 18}),
        ),
        "monthly_payment": (
            (
                "What do I pay each month when I borrow 15000 euros at 5% for 3 years?",
                {"principal": 15000, "annual_rate": 0.05, "years": 3},
            ),
            (
                "A mortgage of 200000 at 4% over 30 years: how high is the instalment?",
                {"principal": 200000, "annual_rate": 0.04, "years": 30},
            ),
            (
                "How much would a loan of 12000 dollars cost me per month at 6% over 5 years?",
                {"principal": 12000, "annual_rate": 0.06, "years": 5},
            ),
        ),
        "paint_litres": (
            ("How much paint do I have to buy for 40 square metres?", {"area": 40}),
            ("We are painting a wall of 25 square metres. How many litres?", {"area": 25}),
            ("What quantity of colour covers 60 square metres of wall?", {"area": 60}),
        ),
        "body_mass_index": (
            ("What is my BMI at 80 kg and 1.8 m?", {"weight_kg": 80, "height_m": 1.8}),
            (
                "Am I too heavy? I weigh 95 kg and am 1.75 m tall.",
                {"weight_kg": 95, "height_m": 1.75},
            ),
            (
                "Body mass of somebody of 65 kilos and 1.7 metres?",
                {"weight_kg": 65, "height_m": 1.7},
            ),
        ),
        "shipping_price": (
            ("What does it cost to send a parcel of 3 kg to NO?", {"weight": 3, "country": "NO"}),
            ("How expensive is posting 5 kilos to DE?", {"weight": 5, "country": "DE"}),
            ("Tell me the postage of a 2 kg package to FR.", {"weight": 2, "country": "FR"}),
        ),
        "tip": (
            ("How much should I leave the waiter on a bill of 84 euros?", {"bill": 84}),
            ("Dinner was 120 dollars, which tip is usual?", {"bill": 120}),
            ("What gratuity goes with a restaurant bill of 60?", {"bill": 60}),
        ),
        "fahrenheit": (
            ("How warm is 25 degrees Celsius for an American?", {"celsius": 25}),
            ("Turn 100 degrees Celsius into Fahrenheit.", {"celsius": 100}),
            ("What is 37 Celsius on the Fahrenheit scale?", {"celsius": 37}),
        ),
        "fuel_used": (
            ("How much petrol do I need for 350 km?", {"distance_km": 350}),
            ("How many litres do we burn on a trip of 120 kilometres?", {"distance_km": 120}),
            ("What does the car use on a drive of 500 km?", {"distance_km": 500}),
        ),
        "child_dose": (
            ("How many milligrams may a kid of 20 kg get?", {"weight_kg": 20}),
            ("What amount of medicine is right for a child who weighs 14 kg?", {"weight_kg": 14}),
            ("Dosage for a boy of 30 kilos, in milligrams?", {"weight_kg": 30}),
        ),
        "banquet_tables": (
            ("We expect 90 guests, how many tables do we set up?", {"guests": 90}),
            ("How many tables for a wedding of 64 guests?", {"guests": 64}),
            ("A dinner for 130 people: number of tables?", {"guests": 130}),
        ),
        "seed_needed": (
            ("How much seed do I need for 12 hectares?", {"hectares": 12}),
            ("How many kilos do I sow on 4 hectares?", {"hectares": 4}),
            ("What weight of seeds goes on fields of 7.5 hectares?", {"hectares": 7.5}),
        ),
        "days_between": (
            (
                "How many days are there from 2024-03-01 to 2024-05-01?",
                {"start": date(2024, 3, 1), "end": date(2024, 5, 1)},
            ),
            (
                "How long is it from 2024-01-10 until 2024-02-10?",
                {"start": date(2024, 1, 10), "end": date(2024, 2, 10)},
            ),
            (
                "We leave on 2024-06-01 and are back on 2024-06-15. How many days is that?",
                {"start": date(2024, 6, 1), "end": date(2024, 6, 15)},
            ),
        ),
        "count_words": (
            ('How many words has "the quick brown fox"?', {"text": "the quick brown fox"}),
            (
                'Tell me the number of words in "to be or not to be".',
                {"text": "to be or not to be"},
            ),
            ('How long is "hello there general" in words?', {"text": "hello there general"}),
        ),
        "median_of": (
            ("What is the median of [3, 9, 4, 7, 5]?", {"numbers": [3, 9, 4, 7, 5]}),
            ("Which number is the median of 4, 8 and 15?", {"numbers": [4, 8, 15]}),
            ("Median of 12, 30, 7, 45, 21", {"numbers": [12, 30, 7, 45, 21]}),
        ),
        "apply_discount": (
            ("A coat of 250 euros is 20% off, what do I pay?", {"price": 250, "discount": 20}),
            (
                "How much is a jacket of 80 dollars when it is reduced by 15%?",
                {"price": 80, "discount": 15},
            ),
            (
                "What does a sofa for 1200 euros cost with 10% rebate?",
                {"price": 1200, "discount": 10},
            ),
        ),
        "break_even_units": (
            (
                "How many pieces do we have to sell to break even, with fixed costs of 5000, a "
                "price of 25 and unit costs of 15?",
                {"fixed_costs": 5000, "price": 25, "unit_cost": 15},
            ),
            (
                "At a price of 40 and a unit cost of 10, how many must be sold to cover fixed "
                "costs of 12000?",
                {"fixed_costs": 12000, "price": 40, "unit_cost": 10},
            ),
            (
                "When do fixed costs of 900 pay off with a price of 9 and a unit cost of 6?",
                {"fixed_costs": 900, "price": 9, "unit_cost": 6},
            ),
        ),
        "concrete_volume": (
            (
                "How much concrete goes into a slab with a length of 4, a width of 3 and a depth "
                "of 0.2?",
                {"length": 4, "width": 3, "depth": 0.2},
            ),
            (
                "We pour a slab 6 m long, 5 m wide and 0.25 m deep. How much concrete is that?",
                {"length": 6, "width": 5, "depth": 0.25},
            ),
            (
                "How many cubic metres of concrete for a terrace of length 8, width 2 and depth "
                "0.15?",
                {"length": 8, "width": 2, "depth": 0.15},
            ),
        ),
        "running_pace": (
            (
                "I ran 10 km in 50 minutes, how fast was that?",
                {"distance_km": 10, "minutes": 50},
            ),
            (
                "What was my pace when 21 km took 120 minutes?",
                {"distance_km": 21, "minutes": 120},
            ),
            (
                "She finished her run of 5 km after 27 minutes. What is that per kilometre?",
                {"distance_km": 5, "minutes": 27},
            ),
        ),
        "net_salary": (
            ("How much do I take home of 4000 gross?", {"gross": 4000}),
            (
                "What remains of my wage of 5200 euros if I am married?",
                {"gross": 5200, "status": "married"},
            ),
            ("What is left of a salary of 3000?", {"gross": 3000}),
        ),
        "plants_in_row": (
            (
                "How many seedlings can I put in a row of 300 cm with a spacing of 25 cm?",
                {"length_cm": 300, "spacing_cm": 25},
            ),
            (
                "How many plants go into a bed with a length of 450 cm and a spacing of 30 cm?",
                {"length_cm": 450, "spacing_cm": 30},
            ),
            (
                "A row has a length of 120 cm, and the spacing is 15 cm. How many lettuces fit in?",
                {"length_cm": 120, "spacing_cm": 15},
            ),
        ),
        "dog_age": (
            ("How old is my dog of 7 years as a human?", {"years": 7}),
            ("My dog is 12 years old, what is that in human years?", {"years": 12}),
            ("What would a 5 year old dog be as a person?", {"years": 5}),
        ),
        "download_minutes": (
            (
                "How long do I wait for a download of 8 GB at 100 Mbit?",
                {"size_gb": 8, "speed_mbit": 100},
            ),
            (
                "With a speed of 50 Mbit, how many minutes does it take to download 20 GB?",
                {"size_gb": 20, "speed_mbit": 50},
            ),
            (
                "A game has a size of 60 GB, my line does 250 Mbit. When is it downloaded?",
                {"size_gb": 60, "speed_mbit": 250},
            ),
        ),
        "stair_steps": (
            ("How many steps does a staircase of 270 cm have?", {"height_cm": 270}),
            ("How many stairs do I climb to get 320 cm up?", {"height_cm": 320}),
            ("We build stairs over a height of 300 cm. Number of steps?", {"height_cm": 300}),
        ),
        "room_charge": (
            ("What do 3 nights in the guest house cost?", {"nights": 3}),
            ("How much is a stay of 5 nights for 2 guests?", {"nights": 5, "guests": 2}),
            ("Two of us stay for 4 nights, what will we be charged?", {"nights": 4, "guests": 2}),
        ),
    },
    (
        "How much does a horse weigh?",
        "Who won the last election in Norway?",
        "How tall is the Eiffel tower?",
        "What was the turnover in 2023?",
        "How many employees does the company have?",
        "Which customer bought the most?",
        "What is the capital of Australia?",
        "How many moons has Jupiter?",
        "Cancel the order 17.",
        "What is the interest of Ada in music?",
        "How long is the Danube?",
        "When does the train leave?",
        "What is a house of 120 square metres worth?",
        "How long does an egg of 60 g boil?",
        "How much water does a field of 4 hectares take in August?",
        "How tall is a child of 7 years?",
        "What are 3 kg of gold worth?",
        "Who was born on 1879-03-14?",
        "How many people live within 50 km of Lyon?",
        "What is the fare for 2 adults to Vienna?",
    ),
)
HELD: Final = Half(
    "held_tools",
    {
        "knitting_yarn": (
            ("How much wool do I need for a pullover with a chest of 100 cm?", {"chest_cm": 100}),
            ("How many metres of yarn for a sweater of 92 cm?", {"chest_cm": 92}),
            ("I want to knit a sweater, the chest is 110 cm. How much yarn is that?",
             {"chest_cm": 110}),
        ),
        "flour_for_bread": (
            ("How much flour goes into 4 loaves?", {"loaves": 4}),
            ("I bake 6 breads, how many grams of flour?", {"loaves": 6}),
            ("What weight of flour for baking 10 loaves?", {"loaves": 10}),
        ),
        "braking_distance": (
            ("How far does a car roll until it stops at 50 km/h?", {"speed_kmh": 50}),
            ("What is the stopping distance of a car at a speed of 100?", {"speed_kmh": 100}),
            ("I drive 80 kilometres an hour and brake. How many metres is that?",
             {"speed_kmh": 80}),
        ),
        "kwh_cost": (
            ("What do I pay for 350 kWh?", {"kwh": 350}),
            ("How much are 1200 kWh of power?", {"kwh": 1200}),
            ("Our electricity bill for 90 kWh in euros?", {"kwh": 90}),
        ),
        "compound_interest": (
            ("What do 10000 euros grow to at 3% in 5 years?",
             {"deposit": 10000, "rate": 0.03, "years": 5}),
            ("I save 2500 at 2% interest. How much is it after 10 years?",
             {"deposit": 2500, "rate": 0.02, "years": 10}),
            ("How much money is a deposit of 800 dollars after 4 years at 5%?",
             {"deposit": 800, "rate": 0.05, "years": 4}),
        ),
        "tiles_for_floor": (
            ("How many tiles for a bathroom of 12 square metres?", {"area_m2": 12}),
            ("We tile a floor of 30 m2, how many do we order?", {"area_m2": 30}),
            ("What number of tiles covers an area of 18?", {"area_m2": 18}),
        ),
        "due_date": (
            ("When do I have to bring back a book borrowed on 2024-03-01?",
             {"ordered": date(2024, 3, 1)}),
            ("By which day is a loan of 2024-05-20 due?", {"ordered": date(2024, 5, 20)}),
            ("I took a book out of the library on 2024-07-07, when must it be returned?",
             {"ordered": date(2024, 7, 7)}),
        ),
        "miles_to_km": (
            ("How far is 26 miles in kilometres?", {"miles": 26}),
            ("Turn 60 miles into kilometres.", {"miles": 60}),
            ("How many km are 5 miles?", {"miles": 5}),
        ),
        "pool_chlorine": (
            ("How much chlorine do I put into a pool of 50 cubic metres?", {"volume_m3": 50}),
            ("Our swimming pool holds 80 m3, how many grams of chlorine is that?",
             {"volume_m3": 80}),
            ("What amount of chlorine for a volume of 32?", {"volume_m3": 32}),
        ),
        "hay_for_horses": (
            ("How much hay do 4 horses eat in 30 days?", {"horses": 4, "days": 30}),
            ("How many kilos of hay for 2 horses over 90 days?", {"horses": 2, "days": 90}),
            ("What must I store to feed 6 horses hay for 14 days?", {"horses": 6, "days": 14}),
        ),
        "average_of": (
            ("What is the average of [4, 8, 15, 16]?", {"numbers": [4, 8, 15, 16]}),
            ("What do 12, 18 and 33 come to on average?", {"numbers": [12, 18, 33]}),
            ("Mean of 7, 9, 20", {"numbers": [7, 9, 20]}),
        ),
        "reading_minutes": (
            ("How long will I read a book of 320 pages?", {"pages": 320}),
            ("How many minutes do 45 pages take to read?", {"pages": 45}),
            ("My novel has 600 pages. How much time does it need?", {"pages": 600}),
        ),
        "commission": (
            ("What does a seller get for sales of 20000?", {"sales": 20000}),
            ("How much does a senior earn who sold for 15000 euros?",
             {"sales": 15000, "level": "senior"}),
            ("Commission on 8000 euros of sales?", {"sales": 8000}),
        ),
        "hull_speed": (
            ("How fast can a boat with a waterline of 9 m sail?", {"waterline_m": 9}),
            ("What is the top speed of a yacht with 12 m waterline?", {"waterline_m": 12}),
            ("How many knots does a sailing boat make with a waterline of 7.5 m?",
             {"waterline_m": 7.5}),
        ),
        "roof_area": (
            ("How big is the roof of a house with a length of 12 m, a width of 8 m and a slope "
             "of 30%?", {"length": 12, "width": 8, "slope": 30}),
            ("How many square metres of roof for a length of 10, a width of 9 and a slope of 20 "
             "percent?", {"length": 10, "width": 9, "slope": 20}),
            ("The house is 15 m long and 7 m wide, its roof has a slope of 45%. What is the area?",
             {"length": 15, "width": 7, "slope": 45}),
        ),
        "exam_grade": (
            ("Which grade do 45 points of a maximum of 60 give?", {"points": 45, "maximum": 60}),
            ("I got 70 points in the exam, the maximum was 100. What is my mark?",
             {"points": 70, "maximum": 100}),
            ("What grade is it with 33 out of 50 points?", {"points": 33, "maximum": 50}),
        ),
        "bees_honey": (
            ("How much honey do 5 hives bring?", {"hives": 5}),
            ("A beekeeper has 12 hives, how many kilos of honey can he sell?", {"hives": 12}),
            ("What is the harvest of 8 bee hives?", {"hives": 8}),
        ),
        "letters_in": (
            ('How many letters has "rhubarb pie"?', {"text": "rhubarb pie"}),
            ('Give me the number of letters in "anticonstitutional".',
             {"text": "anticonstitutional"}),
            ('How long is "winter" in letters?', {"text": "winter"}),
        ),
        "overtime_pay": (
            ("What do I get for 6 hours of overtime at a wage of 20 euros?",
             {"hours": 6, "wage": 20}),
            ("She worked 10 hours longer and has a wage of 18. How much is the overtime?",
             {"hours": 10, "wage": 18}),
            ("How much money are 3 extra hours with a wage of 25?", {"hours": 3, "wage": 25}),
        ),
        "firewood_heat": (
            ("How much heat is in 4 cubic metres of firewood?", {"stacked_m3": 4}),
            ("How many kWh do 6 m3 of wood give?", {"stacked_m3": 6}),
            ("What energy have 2.5 stacked metres of firewood?", {"stacked_m3": 2.5}),
        ),
        "mix_mortar": (
            ("How much cement and sand for 200 bricks?", {"bricks": 200}),
            ("I lay 500 bricks, how much sand do I need?", {"bricks": 500}),
            ("How many kilos of cement for a wall of 120 bricks?", {"bricks": 120}),
        ),
        "parking_fee": (
            ("What does it cost to park for 3 hours?", {"hours": 3}),
            ("How much do I pay when the car stands in zone B for 5 hours?",
             {"hours": 5, "zone": "B"}),
            ("Parking for 2 hours, how expensive is that?", {"hours": 2}),
        ),
        "calories_burnt": (
            ("How many calories do I use when I cycle 60 minutes at 75 kg?",
             {"minutes": 60, "weight_kg": 75}),
            ("I weigh 90 kg and rode my bike for 40 minutes. What did I burn?",
             {"minutes": 40, "weight_kg": 90}),
            ("What does cycling for 25 minutes burn at a weight of 60 kg?",
             {"minutes": 25, "weight_kg": 60}),
        ),
        "buses_for": (
            ("How many buses do we book for 190 pupils?", {"pupils": 190}),
            ("A school of 300 pupils makes a trip. Number of buses?", {"pupils": 300}),
            ("How many coaches does an excursion with 100 pupils take?", {"pupils": 100}),
        ),
    },
    (
        "How much does a elephant weigh?",
        "Who wrote the national anthem of Chile?",
        "How high is Mont Blanc?",
        "What was the profit in 2022?",
        "How many rooms does the hotel have?",
        "Which product sold best?",
        "What is the currency of Japan?",
        "How many bones has a human?",
        "Delete the customer 12.",
        "What is the grade of the steel?",
        "How long is the Nile?",
        "When does the shop open?",
        "What does a flat of 80 square metres cost in Rome?",
        "How long does a turkey of 5 kg roast?",
        "How many trees grow on 3 hectares?",
        "How old is a wine of 12 percent?",
        "What do 2 tickets for the opera cost?",
        "What happened on 1989-11-09?",
        "How many stars are within 10 light years?",
        "How many teachers work for 400 pupils?",
    ),
)  # fmt: skip
HALVES: Final[Mapping[str, Half]] = {"tuning": TUNING, "held": HELD}
