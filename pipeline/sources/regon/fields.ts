/**
 * Our names of the fields of BIR reports; null: known, and ignored. The keys are the names in the
 * documents of GUS without their prefix (`praw_`, `fiz_`, `fizC_`, `lokpraw_` …). Case and underscores do
 * not count: they differ between reports and versions.
 */
export type Fields = Readonly<Record<string, string | null>>;

/** Ignores what a symbol and its name say. */
function ignored(...codes: readonly string[]): Fields {
  return Object.fromEntries(
    codes.flatMap((code) => [`${code}_Symbol`, `${code}_Nazwa`]).map((field) => [field, null]),
  );
}

/** The registered address. Territorial symbols, except of the voivodeship, repeat the names. */
const address: Fields = {
  adSiedzKraj_Symbol: 'country',
  adSiedzKraj_Nazwa: 'country_name',
  adSiedzWojewodztwo_Symbol: 'voivodeship_symbol',
  adSiedzWojewodztwo_Nazwa: 'voivodeship',
  adSiedzPowiat_Symbol: null,
  adSiedzPowiat_Nazwa: 'county',
  adSiedzGmina_Symbol: null,
  adSiedzGmina_Nazwa: 'commune',
  adSiedzKodPocztowy: 'postal_code',
  ...ignored('adSiedzMiejscowoscPoczty'),
  adSiedzMiejscowosc_Symbol: null,
  adSiedzMiejscowosc_Nazwa: 'city',
  adSiedzUlica_Symbol: null,
  adSiedzUlica_Nazwa: 'street',
  adSiedzNumerNieruchomosci: 'building',
  adSiedzNumerLokalu: 'apartment',
  adSiedzNietypoweMiejsceLokalizacji: 'place',
};

/** Of an activity or a unit. The day on which GUS noted a change says nothing. */
const dates: Fields = {
  dataPowstania: 'formation_date',
  dataRozpoczeciaDzialalnosci: 'start_date',
  dataWpisuDoRegon: 'entry_date',
  dataZawieszeniaDzialalnosci: 'suspension_date',
  dataWznowieniaDzialalnosci: 'resumption_date',
  dataZakonczeniaDzialalnosci: 'end_date',
  dataSkresleniaZRegon: 'struck_off_date',
  dataZaistnieniaZmiany: null,
};

const forms: Fields = {
  szczegolnaFormaPrawna_Symbol: 'legal_form',
  szczegolnaFormaPrawna_Nazwa: null,
  ...ignored('podstawowaFormaPrawna', 'formaFinansowania', 'formaWlasnosci'),
};

/** A legal person, or one activity of a natural one. */
const activity: Fields = {
  ...address,
  ...dates,
  regon9: 'regon9',
  // BIR 1.0.
  regon14: 'regon9',
  nazwa: 'name',
  nazwaSkrocona: null,
  dataOrzeczeniaOUpadlosci: 'bankruptcy_start_date',
  dataZakonczeniaPostepowaniaUpadlosciowego: 'bankruptcy_end_date',
  dataWpisuDoRejestruEwidencji: 'register_date',
  dataSkresleniaZRejestruEwidencji: 'register_end_date',
  numerTelefonu: 'phone',
  numerWewnetrznyTelefonu: 'extension',
  numerFaksu: 'fax',
  adresEmail: 'email',
  adresEmail2: null,
  adresStronyinternetowej: 'website',
  ...ignored('organRejestrowy'),
};

export const legalPersonFields: Fields = {
  ...activity,
  ...forms,
  nip: 'nip',
  statusNip: 'nip_status',
  numerWRejestrzeEwidencji: 'register_number',
  rodzajRejestruEwidencji_Symbol: 'register',
  rodzajRejestruEwidencji_Nazwa: null,
  ...ignored('organZalozycielski'),
  liczbaJednLokalnych: 'unit_count',
  // BIR 1.0.
  jednostekLokalnych: 'unit_count',
};

export const activityFields: Fields = {
  ...activity,
  // Numbers of registers other than KRS.
  numerWRejestrzeEwidencji: null,
  ...ignored('rodzajRejestru'),
  niePodjetoDzialalnosci: null,
  dataWpisuDzialalnosciDoRegon: 'entry_date',
  dataZaistnieniaZmianyDzialalnosci: null,
  dataSkresleniaDzialalnosciZRegon: 'struck_off_date',
  // As the agricultural report spells it.
  dataSkresleniaDzialalanosciZRegon: 'struck_off_date',
  // BIR 1.0.
  dataWpisuDoREGONDzialalnosci: 'entry_date',
  dataSkresleniazRegonDzialalnosci: 'struck_off_date',
};

export const naturalPersonFields: Fields = {
  ...forms,
  regon9: 'regon9',
  nip: 'nip',
  statusNip: 'nip_status',
  nazwisko: 'surname',
  imie1: 'first_name',
  imie2: 'second_name',
  dataWpisuPodmiotuDoRegon: 'person_entry_date',
  dataZaistnieniaZmiany: null,
  dataSkresleniaPodmiotuZRegon: 'struck_off_date',
  dzialalnoscCeidg: 'has_1',
  dzialalnoscRolnicza: 'has_2',
  dzialalnoscPozostala: 'has_3',
  dzialalnoscSkreslonaDo20141108: 'has_4',
  liczbaJednLokalnych: 'unit_count',
};

/** BIR 1.1 writes `pkd_Kod`, BIR 1.2 `pkdKod` and the version of the classification. */
export const codeFields: Fields = {
  pkdKod: 'code',
  pkdNazwa: null,
  pkdPrzewazajace: 'is_main',
  pkdWersja: 'version',
  silosID: 'silo',
  silos_Symbol: 'silo_name',
  dataSkresleniaDzialalnosciZRegon: null,
};

/** The details of a unit say no more than the list of units, except its own registers. */
export const unitFields: Fields = {
  ...address,
  ...dates,
  regon14: 'regon14',
  nazwa: 'name',
  nip: null,
  statusNip: null,
  silosID: 'silo',
  silos_Symbol: 'silo_name',
  silos_Nazwa: 'silo_name',
  numerWRejestrzeEwidencji: null,
  dataWpisuDoRejestruEwidencji: null,
  ...ignored('formaFinansowania', 'organRejestrowy', 'rodzajRejestruEwidencji', 'rodzajRejestru'),
  niePodjetoDzialalnosci: null,
};

export const partnerFields: Fields = {
  regonWspolnikSpolki: null,
  imiePierwsze: 'first_name',
  imieDrugie: 'second_name',
  nazwisko: 'surname',
  firmaNazwa: 'firm',
};
