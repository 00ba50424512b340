/** A town with its county and the first two digits of its postal codes; the larger ones first. */
export type Place = readonly [city: string, county: string, postalPrefix: string];

/** A voivodeship with its share of the entries that have one, per mille. */
export interface Voivodeship {
  name: string;
  weight: number;
  places: readonly Place[];
}

function voivodeship(name: string, weight: number, places: string): Voivodeship {
  return {
    name,
    weight,
    places: places.split(', ').map((place) => {
      const [city, county, postalPrefix] = place.split('|');
      return [city!, county!, postalPrefix!];
    }),
  };
}

export const voivodeships: readonly Voivodeship[] = [
  voivodeship(
    'dolnośląskie',
    83,
    'Wrocław|Wrocław|50, Wałbrzych|Wałbrzych|58, Legnica|Legnica|59, Świdnica|świdnicki|58, ' +
      'Oleśnica|oleśnicki|56, Kłodzko|kłodzki|57',
  ),
  voivodeship(
    'kujawsko-pomorskie',
    47,
    'Bydgoszcz|Bydgoszcz|85, Toruń|Toruń|87, Włocławek|Włocławek|87, Grudziądz|Grudziądz|86, ' +
      'Inowrocław|inowrocławski|88, Świecie|świecki|86',
  ),
  voivodeship(
    'lubelskie',
    44,
    'Lublin|Lublin|20, Zamość|Zamość|22, Chełm|Chełm|22, Puławy|puławski|24, ' +
      'Biała Podlaska|Biała Podlaska|21, Świdnik|świdnicki|21',
  ),
  voivodeship(
    'lubuskie',
    26,
    'Zielona Góra|Zielona Góra|65, Gorzów Wielkopolski|Gorzów Wielkopolski|66, ' +
      'Nowa Sól|nowosolski|67, Żary|żarski|68, Świebodzin|świebodziński|66',
  ),
  voivodeship(
    'łódzkie',
    63,
    'Łódź|Łódź|90, Piotrków Trybunalski|Piotrków Trybunalski|97, Pabianice|pabianicki|95, ' +
      'Tomaszów Mazowiecki|tomaszowski|97, Bełchatów|bełchatowski|97, Zgierz|zgierski|95',
  ),
  voivodeship(
    'małopolskie',
    98,
    'Kraków|Kraków|30, Tarnów|Tarnów|33, Nowy Sącz|Nowy Sącz|33, Oświęcim|oświęcimski|32, ' +
      'Wieliczka|wielicki|32, Nowy Targ|nowotarski|34, Zakopane|tatrzański|34',
  ),
  voivodeship(
    'mazowieckie',
    178,
    'Warszawa|Warszawa|02, Radom|Radom|26, Płock|Płock|09, Siedlce|Siedlce|08, ' +
      'Pruszków|pruszkowski|05, Legionowo|legionowski|05, Ostrołęka|Ostrołęka|07, ' +
      'Piaseczno|piaseczyński|05, Otwock|otwocki|05',
  ),
  voivodeship(
    'opolskie',
    23,
    'Opole|Opole|45, Kędzierzyn-Koźle|kędzierzyńsko-kozielski|47, Nysa|nyski|48, ' +
      'Brzeg|brzeski|49, Kluczbork|kluczborski|46',
  ),
  voivodeship(
    'podkarpackie',
    45,
    'Rzeszów|Rzeszów|35, Przemyśl|Przemyśl|37, Stalowa Wola|stalowowolski|37, Mielec|mielecki|39, ' +
      'Krosno|Krosno|38, Dębica|dębicki|39',
  ),
  voivodeship(
    'podlaskie',
    26,
    'Białystok|Białystok|15, Suwałki|Suwałki|16, Łomża|Łomża|18, Augustów|augustowski|16, ' +
      'Bielsk Podlaski|bielski|17',
  ),
  voivodeship(
    'pomorskie',
    70,
    'Gdańsk|Gdańsk|80, Gdynia|Gdynia|81, Słupsk|Słupsk|76, Tczew|tczewski|83, ' +
      'Wejherowo|wejherowski|84, Starogard Gdański|starogardzki|83, Sopot|Sopot|81',
  ),
  voivodeship(
    'śląskie',
    115,
    'Katowice|Katowice|40, Częstochowa|Częstochowa|42, Sosnowiec|Sosnowiec|41, ' +
      'Gliwice|Gliwice|44, Bielsko-Biała|Bielsko-Biała|43, Rybnik|Rybnik|44, ' +
      'Dąbrowa Górnicza|Dąbrowa Górnicza|41, Żywiec|żywiecki|34',
  ),
  voivodeship(
    'świętokrzyskie',
    26,
    'Kielce|Kielce|25, Ostrowiec Świętokrzyski|ostrowiecki|27, Starachowice|starachowicki|27, ' +
      'Busko-Zdrój|buski|28, Sandomierz|sandomierski|27',
  ),
  voivodeship(
    'warmińsko-mazurskie',
    30,
    'Olsztyn|Olsztyn|10, Elbląg|Elbląg|82, Ełk|ełcki|19, Ostróda|ostródzki|14, Iława|iławski|14, ' +
      'Giżycko|giżycki|11',
  ),
  voivodeship(
    'wielkopolskie',
    101,
    'Poznań|Poznań|60, Kalisz|Kalisz|62, Konin|Konin|62, Piła|pilski|64, Leszno|Leszno|64, ' +
      'Gniezno|gnieźnieński|62, Ostrów Wielkopolski|ostrowski|63, Września|wrzesiński|62',
  ),
  voivodeship(
    'zachodniopomorskie',
    45,
    'Szczecin|Szczecin|70, Koszalin|Koszalin|75, Stargard|stargardzki|73, ' +
      'Kołobrzeg|kołobrzeski|78, Świnoujście|Świnoujście|72, Szczecinek|szczecinecki|78',
  ),
];

export const villages =
  'Nowa Wieś, Zalesie, Dąbrowa, Wólka, Józefów, Zielonka, Brzezina, Górki, Lipiny, Marianów, Łąki, Rudka, Podlesie, Kąty, Wygoda, Ostrów, Jabłonna, Świętów, Żabno, Kamień, Stara Wieś, Borki, Kępa, Chrząstów'.split(
    ', ',
  );

export const streets =
  'ul. Polna, ul. Leśna, ul. Słoneczna, ul. Krótka, ul. Szkolna, ul. Ogrodowa, ul. Lipowa, ul. Łąkowa, ul. Kwiatowa, ul. Kościuszki, ul. Adama Mickiewicza, ul. Henryka Sienkiewicza, al. Jana Pawła II, ul. 3 Maja, ul. 11 Listopada, ul. Bolesława Prusa, ul. Juliusza Słowackiego, ul. Żeromskiego, ul. Piłsudskiego, os. Tysiąclecia, ul. Wojska Polskiego, ul. Mikołaja Kopernika, ul. Dworcowa, ul. Parkowa, ul. Zielona, ul. Brzozowa, ul. Sosnowa, ul. Dębowa, ul. Akacjowa, ul. Cicha, ul. Spacerowa, ul. Wąska, ul. Główna, ul. Kolejowa, ul. Młyńska, ul. Rynek, ul. Warszawska, ul. Krakowska, ul. Poznańska, ul. Gdańska, ul. Łódzka, ul. św. Jana, ul. Różana, ul. Jaśminowa, ul. Wiśniowa, ul. Stefana Wyszyńskiego, ul. Marii Skłodowskiej-Curie, ul. Źródlana, ul. Graniczna, ul. Armii Krajowej, os. Przyjaźni, ul. Księcia Józefa Poniatowskiego, al. Niepodległości, pl. Wolności, ul. Piaskowa, ul. Nadrzeczna, ul. Ćwikłowa, ul. Orzechowa'.split(
    ', ',
  );
