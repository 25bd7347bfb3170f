"""Names of countries, and the days of the week: what a capitalised word may be by itself."""

from __future__ import annotations

from typing import Final

_COUNTRIES_TEXT: Final = """
    Afghanistan, Albania, Algeria, Andorra, Angola, Argentina, Armenia, Australia, Austria,
    Azerbaijan, Bahamas, Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize, Benin, Bhutan,
    Bolivia, Bosnia and Herzegovina, Botswana, Brazil, Brunei, Bulgaria, Burkina Faso, Burundi,
    Cambodia, Cameroon, Canada, Cape Verde, Chad, Chile, China, Colombia, Congo, Costa Rica,
    Croatia, Cuba, Cyprus, Czechia, Czech Republic, Denmark, Djibouti, Dominican Republic, Ecuador,
    Egypt, El Salvador, England, Eritrea, Estonia, Eswatini, Ethiopia, Fiji, Finland, France, Gabon,
    Gambia, Georgia, Germany, Ghana, Great Britain, Greece, Greenland, Guatemala, Guinea, Guyana,
    Haiti, Honduras, Hong Kong, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel,
    Italy, Ivory Coast, Jamaica, Japan, Jordan, Kazakhstan, Kenya, Kosovo, Kuwait, Kyrgyzstan, Laos,
    Latvia, Lebanon, Lesotho, Liberia, Libya, Liechtenstein, Lithuania, Luxembourg, Macau,
    Madagascar, Malawi, Malaysia, Maldives, Mali, Malta, Mauritania, Mauritius, Mexico, Moldova,
    Monaco, Mongolia, Montenegro, Morocco, Mozambique, Myanmar, Namibia, Nepal, Netherlands,
    New Zealand, Nicaragua, Niger, Nigeria, North Korea, North Macedonia, Northern Ireland, Norway,
    Oman, Pakistan, Palestine, Panama, Papua New Guinea, Paraguay, Peru, Philippines, Poland,
    Portugal, Puerto Rico, Qatar, Romania, Russia, Rwanda, San Marino, Saudi Arabia, Scotland,
    Senegal, Serbia, Sierra Leone, Singapore, Slovakia, Slovenia, Somalia, South Africa,
    South Korea, South Sudan, Spain, Sri Lanka, Sudan, Suriname, Sweden, Switzerland, Syria, Taiwan,
    Tajikistan, Tanzania, Thailand, Togo, Trinidad and Tobago, Tunisia, Turkey, Turkmenistan,
    Uganda, UK, Ukraine, United Arab Emirates, United Kingdom, United States, Uruguay, USA,
    Uzbekistan, Vatican City, Venezuela, Vietnam, Wales, Yemen, Zambia, Zimbabwe
"""
COUNTRIES: Final = frozenset(
    " ".join(each.split()).casefold() for each in _COUNTRIES_TEXT.split(",")
)
WEEKDAYS: Final = frozenset(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
)
_CURRENCIES_TEXT: Final = """
    usd eur gbp jpy chf aud cad nzd sek nok dkk pln czk huf ron bgn try rub uah cny hkd sgd inr
    brl mxn zar krw thb idr myr php vnd ils aed sar egp
"""
CURRENCIES: Final = frozenset(_CURRENCIES_TEXT.split())
