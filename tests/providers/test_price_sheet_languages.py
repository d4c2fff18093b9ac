"""Azure price sheets in the languages that the portal exports them in."""

import pytest

from providers.azure_regions import azure_region
from tests.providers.hand_made import d, held, rates, read_text

SHEETS = {
    "German": (
        "Verbrauchseinheits-ID;Name der Verbrauchseinheit;Region der Verbrauchseinheit;Maßeinheit;Preis pro Einheit;"
        "Währungscode;Preistyp",
        "a;NC24ads A100 v4;US East;10 Stunden;36,73;USD;Verbrauch",
    ),
    "French": (
        "ID du compteur;Nom du compteur;Sous-catégorie du compteur;Région du compteur;Unité de mesure;Prix unitaire;"
        "Code de devise;Type de prix",
        "a;NC24ads A100 v4;NCads A100 v4;US East;10 Heures;36,73;USD;Consommation",
    ),
    "Spanish": (
        "ID de medidor;Nombre del medidor;Región de medidor;Unidad de medida;Precio unitario;Código de moneda",
        "a;NC24ads A100 v4;US East;10 Horas;36,73;USD",
    ),
    "Italian": (
        "ID contatore;Nome contatore;Area contatore;Unità di misura;Prezzo unitario;Codice valuta;Tipo di prezzo",
        "a;NC24ads A100 v4;US East;10 Ore;36,73;USD;Consumo",
    ),
    "Portuguese": (
        "ID do medidor;Nome do medidor;Região do medidor;Unidade de medida;Preço unitário;Código da moeda",
        "a;NC24ads A100 v4;US East;10 Horas;36,73;USD",
    ),
    "Japanese": (
        "メーター ID,メーター名,メーターのリージョン,測定単位,単価,通貨コード,価格の種類",
        "a,NC24ads A100 v4,US East,10 時間,36.73,USD,消費",
    ),
    "Chinese": (
        "仪表 ID,仪表名称,仪表区域,度量单位,单价,货币代码,价格类型",
        "a,NC24ads A100 v4,US East,10 小时,36.73,USD,消费",
    ),
    "translated with the name in brackets": (
        "Zähler-ID (MeterId);Zählername (MeterName);Region (MeterRegion);Einheit (UnitOfMeasure);Preis (UnitPrice);"
        "Währung (CurrencyCode)",
        "a;NC24ads A100 v4;US East;10 Stunden;36,73;USD",
    ),
}


@pytest.mark.parametrize("lines", SHEETS.values(), ids=SHEETS)
def test_a_price_per_ten_hours_is_read_in_any_language(lines):
    sheet = read_text("Price sheet\n\n" + "\n".join(lines) + "\n", "sheet.csv")

    assert sheet.format_key == "azure_price_sheet"
    assert rates(sheet, "region", "purchase_model") == [("eastus", "on_demand", d("3.673"))]


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("EU West", "westeurope"), ("West Europe", "westeurope"), ("(Europe) West Europe", "westeurope"),
        ("Westeuropa", "westeurope"), ("Europa, Westen", "westeurope"), ("西ヨーロッパ", "westeurope"),
        ("USA, Osten 2", "eastus2"), ("Este de EE. UU. 2", "eastus2"), ("米国東部 2", "eastus2"),
        ("東日本", "japaneast"), ("西日本", "japanwest"), ("Royaume-Uni Sud", "uksouth"),
        ("Stati Uniti centro-settentrionali", "northcentralus"), ("Leste dos EUA", "eastus"),
        ("Deutschland, Westen-Mitte", "germanywestcentral"), ("CN North 3", "chinanorth3"),
        ("Europa", None), ("USA, Osten 9", None), ("Mars West", None), ("", None),
    ],
)  # fmt: skip
def test_a_region_is_known_in_any_order_of_words_and_in_many_languages(written, code):
    assert azure_region(written) == code


def test_a_region_that_nobody_knows_waits_for_its_mapping():
    header, row = SHEETS["German"]
    text = f"{header}\n{row.replace('US East', 'Mond, Osten')}\n"

    assert held(read_text(text, "sheet.csv")) == [(2, "unknown_region")]
    mapped = read_text(text, "sheet.csv", aliases={"region:Mond, Osten": "eastus"})
    assert rates(mapped, "region") == [("eastus", d("3.673"))]


def test_a_mapping_in_another_script_is_no_mapping_of_every_name_in_it():
    header, row = SHEETS["Japanese"]
    text = f"{header}\n{row.replace('US East', '月の東')}\n"

    assert held(read_text(text, "sheet.csv", aliases={"region:月の西": "westus"})) == [(2, "unknown_region")]


def test_a_grouped_number_asks_where_the_language_leaves_it_open():
    header, row = SHEETS["German"]
    sheet = read_text(f"{header}\n{row.replace('36,73', '1.234')}\n", "sheet.csv")

    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(2, "ambiguous_number")]
