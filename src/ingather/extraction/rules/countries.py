"""Names of countries as papers print them."""

import re
from typing import Final

_ENGLISH: Final = (
    "Afghanistan|Albania|Algeria|Angola|Argentina|Armenia|Australia|Austria|Azerbaijan|Bangladesh|Belarus|Belgium|Benin"
    "|Bolivia|Bosnia and Herzegovina|Botswana|Brazil|Bulgaria|Burkina Faso|Burundi|Cambodia|Cameroon|Canada|Chad|Chile"
    "|China|Colombia|Costa Rica|Croatia|Cuba|Cyprus|Czech Republic|Czechia|Denmark|Dominican Republic|Ecuador|Egypt"
    "|El Salvador|England|Estonia|Eswatini|Ethiopia|Fiji|Finland|France|Gabon|Gambia|Germany|Ghana|Greece|Guatemala"
    "|Guinea-Bissau|Guinea|Haiti|Honduras|Hong Kong|Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy"
    "|Ivory Coast"
    "|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Kosovo|Kuwait|Kyrgyzstan|Laos|Latvia|Lebanon|Lesotho|Liberia|Libya"
    "|Lithuania"
    "|Luxembourg|Madagascar|Malawi|Malaysia|Mali|Malta|Mexico|Moldova|Mongolia|Montenegro|Morocco|Mozambique|Myanmar"
    "|Namibia|Nepal|Netherlands|New Zealand|Nicaragua|Nigeria|Niger|North Macedonia|Northern Ireland|Norway|Oman"
    "|Pakistan"
    "|Palestine|Panama|Papua New Guinea|Paraguay|Peru|Philippines|Poland|Portugal|Puerto Rico|Qatar|Romania|Russia"
    "|Rwanda"
    "|Saudi Arabia|Scotland|Senegal|Serbia|Sierra Leone|Singapore|Slovakia|Slovenia|Somalia|South Africa|South Korea"
    "|Korea"
    "|South Sudan|Spain|Sri Lanka|Sudan|Sweden|Switzerland|Syria|Taiwan|Tajikistan|Tanzania|Thailand|Togo"
    "|Trinidad and Tobago|Tunisia|Turkey|Uganda|Ukraine|United Arab Emirates|United Kingdom|United States of America"
    "|United States|Uruguay|Uzbekistan|Venezuela|Vietnam|Wales|Yemen|Zambia|Zimbabwe|UK|USA"
)
_CHINESE: Final = "中国|日本|韩国|美国|英国|德国|法国|印度|澳大利亚|加拿大|泰国|越南|新加坡|马来西亚|俄罗斯|意大利"
"|西班牙|巴西|荷兰|瑞典|丹麦|挪威|芬兰"

NAME: Final = re.compile(
    rf"(?<!South )\b(?:{_ENGLISH})\b(?! Sea\b|[-\u2013/][A-Z])|{_CHINESE}(?!医学|中医|药典|标准|指南|高血压)"
)
# Names of one state, and of its parts.
_OF_ONE: Final = {
    "UK": "United Kingdom", "England": "United Kingdom", "Scotland": "United Kingdom", "Wales": "United Kingdom",
    "Northern Ireland": "United Kingdom", "USA": "United States", "United States of America": "United States",
    "Korea": "South Korea", "Czechia": "Czech Republic",
}  # fmt: skip


def country_of_state(name: str) -> str:
    """The state that a name stands for: England is a part of the United Kingdom."""
    return _OF_ONE.get(name, name)
