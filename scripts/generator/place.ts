import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

// Towns with their county and the first two digits of their postal codes; the larger ones first.
const towns = parse(readFileSync(new URL('place.csv', import.meta.url)), {
  from_line: 2,
}) as [voivodeship: string, city: string, county: string, postal_prefix: string][];

// Shares of the entries that have a voivodeship, per mille.
const weights =
  'dolnośląskie 83, kujawsko-pomorskie 47, lubelskie 44, lubuskie 26, łódzkie 63, małopolskie 98, mazowieckie 178, opolskie 23, podkarpackie 45, podlaskie 26, pomorskie 70, śląskie 115, świętokrzyskie 26, warmińsko-mazurskie 30, wielkopolskie 101, zachodniopomorskie 45';

export const voivodeships = weights.split(', ').map((text) => {
  const [name = '', weight] = text.split(' ');
  return { name, weight: Number(weight), places: towns.filter(([of]) => of === name) };
});

export const villages =
  'Nowa Wieś, Zalesie, Dąbrowa, Wólka, Józefów, Zielonka, Brzezina, Górki, Lipiny, Marianów, Łąki, Rudka, Podlesie, Kąty, Wygoda, Ostrów, Jabłonna, Świętów, Żabno, Kamień, Stara Wieś, Borki, Kępa, Chrząstów'.split(
    ', ',
  );

export const streets =
  'ul. Polna, ul. Leśna, ul. Słoneczna, ul. Krótka, ul. Szkolna, ul. Ogrodowa, ul. Lipowa, ul. Łąkowa, ul. Kwiatowa, ul. Kościuszki, ul. Adama Mickiewicza, ul. Henryka Sienkiewicza, al. Jana Pawła II, ul. 3 Maja, ul. 11 Listopada, ul. Bolesława Prusa, ul. Juliusza Słowackiego, ul. Żeromskiego, ul. Piłsudskiego, os. Tysiąclecia, ul. Wojska Polskiego, ul. Mikołaja Kopernika, ul. Dworcowa, ul. Parkowa, ul. Zielona, ul. Brzozowa, ul. Sosnowa, ul. Dębowa, ul. Akacjowa, ul. Cicha, ul. Spacerowa, ul. Wąska, ul. Główna, ul. Kolejowa, ul. Młyńska, ul. Rynek, ul. Warszawska, ul. Krakowska, ul. Poznańska, ul. Gdańska, ul. Łódzka, ul. św. Jana, ul. Różana, ul. Jaśminowa, ul. Wiśniowa, ul. Stefana Wyszyńskiego, ul. Marii Skłodowskiej-Curie, ul. Źródlana, ul. Graniczna, ul. Armii Krajowej, os. Przyjaźni, ul. Księcia Józefa Poniatowskiego, al. Niepodległości, pl. Wolności, ul. Piaskowa, ul. Nadrzeczna, ul. Ćwikłowa, ul. Orzechowa'.split(
    ', ',
  );
