/**
 * What is read of an extract: the keys of OdpisAktualny, which OdpisPelny shares but for the
 * versions. A key that is not here is told as unknown.
 *
 * `text`: a value. `day`: one such as 31.12.2026, read as YYYY-MM-DD. `first_day`: the first day that
 * a text mentions. `country`: the Polish name of a country, read as its ISO 3166-1 code. `ignored`:
 * known, and nothing that the product shows. `group`: one object. `list`: any number of objects.
 */
export type Shape =
  | { kind: 'text' | 'day' | 'first_day' | 'country' | 'ignored' }
  | { kind: 'group' | 'list'; members: Readonly<Record<string, Shape>> };

type Members = Readonly<Record<string, Shape>>;

const text: Shape = { kind: 'text' };
const day: Shape = { kind: 'day' };
const firstDay: Shape = { kind: 'first_day' };
const country: Shape = { kind: 'country' };
const group = (members: Members): Shape => ({ kind: 'group', members });
const list = (members: Members): Shape => ({ kind: 'list', members });
const ignored = (...keys: readonly string[]): Members =>
  Object.fromEntries(keys.map((key) => [key, { kind: 'ignored' }]));

const seat = group({
  kraj: country,
  wojewodztwo: text,
  powiat: text,
  gmina: text,
  miejscowosc: text,
});

const address = group({
  kraj: country,
  ulica: text,
  nrDomu: text,
  nrLokalu: text,
  kodPocztowy: text,
  miejscowosc: text,
  ...ignored('poczta', 'wojewodztwo', 'powiat', 'gmina'),
});

/** Natural persons are masked at the source; of the identifier not even the mask is kept. */
const person: Members = {
  nazwisko: group({ nazwiskoICzlon: text, nazwiskoIICzlon: text }),
  imiona: group({ imie: text, imieDrugie: text, ...ignored('imieTrzecie') }),
  nazwa: text,
  funkcjaWOrganie: text,
  czyZawieszona: text,
  posiadaneUdzialy: text,
  ...ignored(
    'identyfikator',
    'krs',
    'numerKRS',
    'nip',
    'regon',
    'siedziba',
    'adres',
    'czyPosiadaCaloscUdzialow',
    'czyPosiadaCaloscAkcji',
    'czyPozostajeWZwiazkuMalzenskim',
    'czyZawartaMalzenskaUmowaMajatkowa',
    'czyPowstalaRozdzielnoscMajatkowa',
    'czyMaOgraniczonaZdolnoscDoCzynnosciPrawnych',
    'wysokoscSumyKomandytowej',
    'wniesioneWklady',
    'zakresPelnomocnictwa',
    'zakresDzialaniaKuratora',
    'podstawaPowolaniaIZakresDzialaniaKuratora',
    'dataPowolania',
    'dataDoKtorejMaDzialac',
    // Free text that may name other persons in full, with their PESEL.
    'rodzajProkury',
  ),
};

const persons = list(person);

/** Of a company, an association or another organisation: section 1. */
const identity = group({
  danePodmiotu: group({
    formaPrawna: text,
    nazwa: text,
    identyfikatory: group({ regon: text, nip: text }),
    ...ignored(
      'nazwaSkrocona',
      'daneOWczesniejszejRejestracji',
      'czyProwadziDzialalnoscZInnymiPodmiotami',
      'czyPosiadaStatusOPP',
      'informacjaOWpisieDoRejestruPrzedsiebiorcow',
    ),
  }),
  siedzibaIAdres: group({
    siedziba: seat,
    adres: address,
    adresPocztyElektronicznej: text,
    adresStronyInternetowej: text,
    ...ignored(
      'adresDoDoreczenElektronicznychWpisanyDoBAE',
      'adresDoDoreczen',
      'siedzibaIAdresZakladuGlownego',
    ),
  }),
  jednostkiTerenoweOddzialy: list({
    nazwa: text,
    siedziba: seat,
    adres: address,
    ...ignored('firmaPodKtoraDziala', 'statutJednostki'),
  }),
  wspolnicySpzoo: persons,
  wspolnicyPartnerzy: persons,
  jedynyAkcjonariusz: persons,
  ...ignored(
    'umowaStatut',
    'pozostaleInformacje',
    'sposobPowstaniaPodmiotu',
    'kapital',
    'emisjeAkcji',
    'wzmiankaOUpowaznieniuDoEmisjiWarrantowSubskrypcyjnych',
    'wzmiankaOPodjeciuUchwalyOEmisjachObligacjiZamiennych',
    'informacjaOZamiarzePolaczenia',
    'komitetZalozycielski',
    'organSprawujacyNadzor',
    'podmiotTworzacy',
  ),
});

/** Who represents it, and who watches over them: section 2. */
const representation = group({
  reprezentacja: list({ nazwaOrganu: text, sklad: persons, ...ignored('sposobReprezentacji') }),
  organNadzoru: list({ nazwa: text, sklad: persons }),
  prokurenci: persons,
  pelnomocnicy: persons,
  osobyReprezentujacePZ: persons,
  reprezentacjaIBIGBPPSPZOZ: persons,
});

const activities = list({ kodDzial: text, kodKlasa: text, kodPodklasa: text, opis: text });

/** What it does: section 3. */
const purpose = group({
  przedmiotDzialalnosci: group({
    przedmiotPrzewazajacejDzialalnosci: activities,
    przedmiotPozostalejDzialalnosci: activities,
  }),
  ...ignored(
    'wzmiankiOZlozonychDokumentach',
    'sprawozdaniaGrupyKapitalowej',
    'informacjaODniuKonczacymRokObrotowy',
    'celDzialaniaOrganizacji',
    'celDzialania',
    'przedmiotDzialalnosciStatutowej',
    'przedmiotDzialalnosciOPP',
    'dzialalnoscNieodplatnaPozytkuPublicznego',
    'dzialalnoscOdplatnaPozytkuPublicznego',
  ),
});

/** Liquidation, bankruptcy, suspension and what else changes its state: section 6. */
const state = group({
  likwidacja: list({
    otwarcieLikwidacji: firstDay,
    zakonczenieLikwidacji: firstDay,
    likwidatorzy: persons,
    ...ignored('sposobReprezentacji', 'sposobReprezentacjiPrzezLikwidatorow'),
  }),
  postepowanieUpadlosciowe: list({
    informacjaOOgloszeniuUpadlosci: group({ organWydajacy: text, sygnatura: text, data: day }),
    opisZakonczeniaProcesuUpadlosci: group({
      data: day,
      dataZakonczeniaPostepowania: day,
      ...ignored(
        'organWydajacy',
        'sygnatura',
        'sposobZakonczenia',
        'sposobZakonczeniaPostepowania',
      ),
    }),
    ...ignored(
      'sposobProwadzeniaPostepowania',
      'informacjaOUchyleniuUkladu',
      'daneSyndyka',
      'daneOsobyReprezentujacejUpadlego',
    ),
  }),
  zawieszenieWznowienieDzialalnosci: list({ dataZawieszenia: day, dataWznowienia: day }),
  zawieszenieWznowienie: list({ dataZawieszenia: day, dataWznowienia: day }),
  ...ignored(
    'polaczeniePodzialPrzeksztalcenie',
    'rozwiazanieUniewaznienie',
    'postepowanieUkladowe',
    'postepowanieNaprawcze',
    'postepowanieRestrukturyzacyjne',
    'postepowanieRestrukturyzacyjneNaprawczePrzymusowaRestrukturyzacja',
    'postepowanieRestrukturyzacyjneNaprawczePrzymusowaRestrukturyzacjaUporzadkowanaLikwidacja',
    'zarzadKomisaryczny',
    'zarzadKomisarycznyPrzymusowyPowierzenieZarzadzania',
    'umorzenieEgzekucji',
  ),
});

/** Below `odpis.dane`. Section 4 holds arrears and creditors. */
export const contentShape: Shape = group({
  dzial1: identity,
  dzial2: representation,
  dzial3: purpose,
  dzial5: group({ kurator: persons }),
  dzial6: state,
  ...ignored('dzial4'),
});

/** `odpis.naglowekA` or `odpis.naglowekP`. What is ignored tells of the extract, not the company. */
export const headerShape: Shape = group({
  numerKRS: text,
  stanZDnia: day,
  dataRejestracjiWKRS: day,
  dataWykreslenia: day,
  dataOstatniegoWpisu: day,
  ...ignored(
    'rejestr',
    'dataCzasOdpisu',
    'numerOstatniegoWpisu',
    'sygnaturaAktSprawyDotyczacejOstatniegoWpisu',
    'oznaczenieSaduDokonujacegoOstatniegoWpisu',
    'stanPozycji',
  ),
  wpis: list({
    numerWpisu: text,
    opis: text,
    dataWpisu: day,
    dataUprawomocnienia: day,
    ...ignored('sygnaturaAktSprawyDotyczacejWpisu', 'oznaczenieSaduDokonujacegoWpisu'),
  }),
});
