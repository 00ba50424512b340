/**
 * The keys of an extract, of OdpisAktualny and OdpisPelny alike. Any other key is reported as unknown.
 *
 * `text`: a value. `day`: a day such as 31.12.2026, read as YYYY-MM-DD. `first_day`: the first day in a
 * text. `country`: the Polish name of a country, read as its ISO 3166-1 code. `ignored`: known, and not
 * shown. `group`: one object. `list`: any number of objects.
 *
 * `spellings`: patterns of keys that mean a member, since some names drift with the law.
 * `is_dated`: a full extract gives the group an `entry_day`, the day of the entry that brought it in.
 */
export type Shape = { kind: 'text' | 'day' | 'first_day' | 'country' | 'ignored' } | ObjectShape;

export interface ObjectShape {
  kind: 'group' | 'list';
  members: Members;
  spellings?: Spellings;
  is_dated?: boolean;
}

type Members = Readonly<Record<string, Shape>>;
type Spellings = readonly (readonly [RegExp, string])[];

const text: Shape = { kind: 'text' };
const day: Shape = { kind: 'day' };
const firstDay: Shape = { kind: 'first_day' };
const country: Shape = { kind: 'country' };
const group = (members: Members): Shape => ({ kind: 'group', members });
const list = (members: Members, spellings: Spellings = []): Shape => ({
  kind: 'list',
  members,
  spellings,
});
const texts = (...keys: readonly string[]): Members =>
  Object.fromEntries(keys.map((key) => [key, text]));
const ignored = (...keys: readonly string[]): Members =>
  Object.fromEntries(keys.map((key) => [key, { kind: 'ignored' }]));

const seat = group({
  kraj: country,
  ...texts('wojewodztwo', 'powiat', 'gmina', 'miejscowosc'),
});

const address = group({
  kraj: country,
  ...texts('ulica', 'nrDomu', 'nrLokalu', 'kodPocztowy', 'miejscowosc'),
  ...ignored('poczta', 'wojewodztwo', 'powiat', 'gmina'),
});

/** A decision of a court in proceedings. */
const decision: Shape = {
  kind: 'group',
  is_dated: true,
  members: {
    data: day,
    ...texts('organWydajacy', 'sygnatura', 'rodzajPostepowania', 'opis'),
  },
  spellings: [
    // The day of the decision, in spite of its name.
    [/^dataNadaniaKlauzuliWykonalnosci$/, 'data'],
    [/^dataZakonczeniaPostepowania$/, 'data'],
    [/^sygnatura/, 'sygnatura'],
    [/^(?:opis)?[sS]posob(?:u)?Zakonczenia/, 'opis'],
  ],
};

/** Natural persons are masked at the source; masked identifiers are not kept. */
const person: Members = {
  nazwisko: group(texts('nazwiskoICzlon', 'nazwiskoIICzlon')),
  imiona: group({ ...texts('imie', 'imieDrugie'), ...ignored('imieTrzecie') }),
  ...texts('nazwa', 'funkcjaWOrganie', 'posiadaneUdzialy', 'czyZawieszona'),
  dataZawieszeniaDo: day,
  podmiot: group({
    nazwa: text,
    ...ignored(
      'krs',
      'numerKRS',
      'nip',
      'regon',
      'identyfikator',
      'identyfikatory',
      'krajNazwaRejestruEwidencji',
      'numerWRejestrzeAlboEwidencji',
      'nazwaSaduOrganuProwadzacegoRejestrEwidencje',
    ),
  }),
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
    'podstawaPowolaniaZakresDzialania',
    'dataPowolania',
    'dataDoKtorejMaDzialac',
    // Free text that may name other persons in full, with their PESEL.
    'rodzajProkury',
  ),
};

const persons = list(person, [[/^(?:pelniona|rodzaj)?[fF]unkcj[ai]/, 'funkcjaWOrganie']]);

/** Of a company, an association or another organisation: section 1. */
const identity = group({
  danePodmiotu: group({
    ...texts('formaPrawna', 'nazwa'),
    identyfikatory: group({
      ...texts('regon', 'statusRegon', 'nip', 'statusNip'),
      ...ignored('dataDecyzji'),
    }),
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
    adresDoDoreczenElektronicznychWpisanyDoBAE: text,
    ...ignored('adresDoDoreczen', 'siedzibaIAdresZakladuGlownego'),
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

const activities = list(texts('kodDzial', 'kodKlasa', 'kodPodklasa', 'opis'));

/** What it does: section 3. */
const purpose = group({
  przedmiotDzialalnosci: group({
    przedmiotPrzewazajacejDzialalnosci: activities,
    przedmiotPozostalejDzialalnosci: activities,
  }),
  // The only activities of most foundations.
  przedmiotDzialalnosciOPP: group({ odplatnyPkd: activities, nieodplatnyPkd: activities }),
  ...ignored(
    'wzmiankiOZlozonychDokumentach',
    'sprawozdaniaGrupyKapitalowej',
    'informacjaODniuKonczacymRokObrotowy',
    'celDzialaniaOrganizacji',
    'celDzialania',
    'przedmiotDzialalnosciStatutowej',
    'dzialalnoscNieodplatnaPozytkuPublicznego',
    'dzialalnoscOdplatnaPozytkuPublicznego',
  ),
});

/** Proceedings of section 6: how they began and ended, and who was appointed. */
const proceedings = list(
  {
    otwarcie: decision,
    zakonczenie: decision,
    syndyk: persons,
    nadzorca: persons,
    zarzadca: persons,
    nadzorca_lub_zarzadca: persons,
    reprezentant: persons,
    ...ignored('sposobProwadzeniaPostepowania', 'informacjaOUchyleniuUkladu', 'uchylenieUkladu'),
  },
  [
    [/^(?:informacjaOOgloszeniuUpadlosci|otwarciePostepowania)/, 'otwarcie'],
    [/^(?:opisZakonczeniaProcesuUpadlosci|zakonczeniePostepowania)/, 'zakonczenie'],
    [/^daneSyndyka/, 'syndyk'],
    [/^daneNadzorc/, 'nadzorca'],
    [/^daneZarzadc/, 'zarzadca'],
    [/^nadzorcaZarzadca/, 'nadzorca_lub_zarzadca'],
    [/^daneOsobyReprezentujacejUpadlego/, 'reprezentant'],
  ],
);

const suspensions = list({ dataZawieszenia: day, dataWznowienia: day });

/** Liquidation, bankruptcy, restructuring, suspension and other changes of its state: section 6. */
const state: Shape = {
  kind: 'group',
  members: {
    likwidacja: list({
      otwarcieLikwidacji: firstDay,
      zakonczenieLikwidacji: firstDay,
      likwidatorzy: persons,
      ...ignored(
        'sposobReprezentacji',
        'sposobReprezentacjiPrzezLikwidatorow',
        'sposobReprezentacjiPodmiotuPrzezLikwidatorow',
        'opisSposobuZakonczeniaPostepowania',
      ),
    }),
    postepowanieUpadlosciowe: proceedings,
    restrukturyzacja: proceedings,
    zarzadKomisaryczny: list({ zarzadca: persons }, [
      [/^(?:zarzadc|komisarz|przedstawiciel)/, 'zarzadca'],
    ]),
    zawieszenieWznowienieDzialalnosci: suspensions,
    ...ignored(
      'polaczeniePodzialPrzeksztalcenie',
      'rozwiazanieUniewaznienie',
      'postepowanieUkladowe',
      'umorzenieEgzekucji',
    ),
  },
  // One list for all kinds of restructuring; its name grew with each law.
  spellings: [
    [/^postepowanie(?:Restrukturyzacyjne|Naprawcze)/, 'restrukturyzacja'],
    [/^zarzadKomisaryczny/, 'zarzadKomisaryczny'],
    [/^zawieszenieWznowienie$/, 'zawieszenieWznowienieDzialalnosci'],
  ],
};

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
  ...texts('numerKRS', 'numerOstatniegoWpisu', 'rejestr'),
  stanZDnia: day,
  dataRejestracjiWKRS: day,
  dataWykreslenia: day,
  dataCzasOdpisu: firstDay,
  ...ignored(
    'dataOstatniegoWpisu',
    'sygnaturaAktSprawyDotyczacejOstatniegoWpisu',
    'oznaczenieSaduDokonujacegoOstatniegoWpisu',
    'stanPozycji',
  ),
  wpis: list({
    ...texts('numerWpisu', 'opis'),
    dataWpisu: day,
    dataUprawomocnienia: day,
    ...ignored('sygnaturaAktSprawyDotyczacejWpisu', 'oznaczenieSaduDokonujacegoWpisu'),
  }),
});
