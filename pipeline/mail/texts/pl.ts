import type { EventType, Severity, Texts } from './en.ts';
import { capitalize, changed, type EventText, formatsOf, named } from './values.ts';

const rules = new Intl.PluralRules('pl');
const formats = formatsOf('pl-PL');
const { number } = formats;

/** Polish has a form for one, one for two to four, and one for most other counts. */
const plural = (count: number, one: string, few: string, many: string) => {
  const form = rules.select(count);
  return `${number(count)} ${form === 'one' ? one : form === 'few' ? few : many}`;
};

const credits = (count: number) => plural(count, 'kredyt', 'kredyty', 'kredytów');
const changes = (count: number) => plural(count, 'zmiana', 'zmiany', 'zmian');

const on = (date: string | null) => (date === null ? '' : ` ${date}`);
const since = (date: string | null) => (date === null ? '' : `; trwało od ${date}`);
const statuses: Record<string, string> = { ACTIVE: 'aktywny', SUSPENDED: 'zawieszony' };

const events: Record<EventType, EventText> = {
  ANOMALY_REGON_CHANGE: (values) =>
    values.after === null
      ? named('Usunięto numer REGON')(values)
      : changed('Zmieniono numer REGON')(values),
  COMPANY_ACTIVITIES_RECLASSIFIED: changed(
    'Przeniesiono kody działalności między PKD 2007 a PKD 2025 zgodnie z urzędowym kluczem',
  ),
  COMPANY_ACTIVITY_ADDED: named('Dodano kod działalności'),
  COMPANY_ACTIVITY_REMOVED: named('Usunięto kod działalności'),
  COMPANY_ADDRESS_ADDED: named('Dodano adres rejestrowy'),
  COMPANY_ADDRESS_CHANGED: changed('Zmieniono adres rejestrowy'),
  COMPANY_ADDRESS_REMOVED: named('Usunięto adres rejestrowy'),
  COMPANY_BANKRUPTCY_ENDED: ({ before, after }) =>
    `Zakończono postępowanie upadłościowe${on(after)}${since(before)}`,
  COMPANY_BANKRUPTCY_STARTED: ({ after }) => `Ogłoszono upadłość${on(after)}`,
  COMPANY_CLOSED_DATE: ({ before, after }) =>
    before === null || after === null
      ? named('Wpisano datę zakończenia działalności')({ before, after })
      : `Przesunięto datę zakończenia działalności z ${before} na ${after}`,
  COMPANY_EMAIL_ADDED: named('Dodano adres e-mail'),
  COMPANY_EMAIL_CHANGED: changed('Zmieniono adres e-mail'),
  COMPANY_EMAIL_REMOVED: named('Usunięto adres e-mail'),
  COMPANY_ENTITY_TYPE_CHANGED: changed('Zmieniono rodzaj podmiotu'),
  COMPANY_FAX_ADDED: named('Dodano numer faksu'),
  COMPANY_FAX_CHANGED: changed('Zmieniono numer faksu'),
  COMPANY_FAX_REMOVED: named('Usunięto numer faksu'),
  COMPANY_LEGAL_FORM_CHANGED: changed('Zmieniono formę prawną'),
  COMPANY_MAIN_ACTIVITY_CHANGED: changed('Zmieniono kod głównej działalności'),
  COMPANY_NAME_CHANGED: changed('Zmieniono nazwę'),
  COMPANY_OWNER_CHANGED: changed('Zmienił się właściciel lub wspólnicy spółki cywilnej'),
  COMPANY_PHONE_ADDED: named('Dodano numer telefonu'),
  COMPANY_PHONE_CHANGED: changed('Zmieniono numer telefonu'),
  COMPANY_PHONE_REMOVED: named('Usunięto numer telefonu'),
  COMPANY_REGISTERED: named('Firmę wpisano do rejestru'),
  COMPANY_REGISTRY_NUMBER_ASSIGNED: named('Nadano numer KRS'),
  COMPANY_REGISTRY_NUMBER_CHANGED: changed('Zastąpiono numer KRS innym'),
  COMPANY_REGON_ASSIGNED: named('Nadano numer REGON'),
  COMPANY_REOPENED: ({ before }) =>
    `Wpis wrócił do rejestru${before === null ? '' : `; zakończenie z ${before} już nie obowiązuje`}`,
  COMPANY_REPRESENTATION_CHANGED: changed(
    'Zmieniły się osoby reprezentujące firmę lub ich funkcje',
  ),
  COMPANY_RESTRUCTURING_ENDED: ({ before, after }) =>
    `Zakończono postępowanie restrukturyzacyjne${on(after)}${since(before)}`,
  COMPANY_RESTRUCTURING_STARTED: ({ after }) =>
    `Otwarto postępowanie restrukturyzacyjne${on(after)}`,
  COMPANY_RESUMED: ({ before, after }) =>
    `Wznowiono działalność${on(after)}${before === null ? '' : `; była zawieszona od ${before}`}`,
  COMPANY_SHAREHOLDERS_CHANGED: changed('Zmienili się wspólnicy lub akcjonariusze'),
  COMPANY_START_DATE_CHANGE: changed('Zmieniono datę rozpoczęcia działalności'),
  COMPANY_STRUCK_OFF: ({ before, after }) => {
    const status = statuses[before ?? ''];
    return `Wpis wykreślono z rejestru${on(after)}${status ? `; do tego dnia był ${status}` : ''}`;
  },
  COMPANY_SUSPENDED: ({ after }) => `Zawieszono działalność${on(after)}`,
  COMPANY_TAX_IDENTITY_ASSIGNED: named('Nadano NIP'),
  COMPANY_TAX_IDENTITY_CHANGED: changed('Zastąpiono NIP innym'),
  COMPANY_TAX_IDENTITY_REVOKED: named('Usunięto lub unieważniono NIP'),
  COMPANY_UNIT_CHANGED: changed('Zmieniono nazwę lub adres jednostki lokalnej'),
  COMPANY_UNIT_CLOSED: named('Zamknięto jednostkę lokalną'),
  COMPANY_UNIT_OPENED: named('Otwarto jednostkę lokalną'),
  COMPANY_WEBSITE_ADDED: named('Dodano stronę internetową'),
  COMPANY_WEBSITE_CHANGED: changed('Zmieniono stronę internetową'),
  COMPANY_WEBSITE_REMOVED: named('Usunięto stronę internetową'),
};

const severities: Record<Severity, string> = {
  critical: 'krytyczne',
  error: 'błędy',
  high: 'ważne',
  warning: 'ostrzeżenia',
  notice: 'drobne',
  info: 'informacyjne',
};

/** Why a number was not imported: the pipeline keeps these sentences in English. */
const reasons: [RegExp, string][] = [
  [/^(.+) does not know this number$/, '$1 nie zna tego numeru'],
  [/^(.+) could not be asked in (\d+) attempts$/, '$1 nie odpowiada, liczba prób: $2'],
  [/^No registry has reported this .+ 7 days$/, 'Żaden rejestr nie podał go w ciągu 7 dni'],
];

export const pl: Texts = {
  greeting: 'Dzień dobry,',
  greetingOf: (name) => `Dzień dobry, ${name},`,
  ...formats,
  unnamedCompany: 'Firma bez nazwy',
  withoutNumber: 'bez numeru',
  events,
  init: {
    subject: 'Jednorazowy token do Company Registry API',
    task: (until) =>
      `Twoje konto Company Registry API jest zarejestrowane. Został jeden krok: wymień ten jednorazowy token na Master Token. Działa raz, do ${until}.`,
    example: 'Na przykład poleceniem curl:',
    outcome: 'Odpowiedź pokazuje Master Token jeden raz: przechowuj go tam, gdzie swoje hasła.',
    ignore:
      'Jeśli to nie Ty zakładasz konto, zignoruj tę wiadomość: bez powyższego tokena nic się nie stanie.',
  },
  recover: {
    subject: 'Odzyskiwanie konta Company Registry API',
    task: (until) =>
      `Ktoś, prawdopodobnie Ty, poprosił o odzyskanie Twojego konta Company Registry API. Otwórz tę stronę, aby to potwierdzić; odnośnik działa raz, do ${until}.`,
    confirm: 'Potwierdź odzyskanie konta',
    outcome:
      'Strona pyta o nowe hasło, które podano w prośbie. Potem pokazuje nowy Master Token, a wszystkie dotychczasowe tokeny przestają działać.',
    ignore:
      'Jeśli to nie Twoja prośba, zignoruj tę wiadomość: bez potwierdzenia hasło i tokeny się nie zmieniają.',
  },
  recovered: {
    subject: 'Konto Company Registry API zostało odzyskane',
    done: (at) =>
      `Twoje konto Company Registry API zostało odzyskane ${at}. Ma nowe hasło i nowy Master Token; wszystkie wcześniejsze tokeny są unieważnione.`,
    alarm:
      'Jeśli to nie Ty, ktoś czyta Twoją pocztę: najpierw zmień hasło skrzynki, a potem odzyskaj konto ponownie tym żądaniem.',
  },
  refund: {
    subject: (count) => `Cofnięte kredyty: ${count}`,
    cause: {
      refund: (product) => `Płatność za ${product} została zwrócona.`,
      dispute: (product) => `Płatność za ${product} została zakwestionowana w Twoim banku.`,
    },
    outcome: (count, balance) =>
      `Z portfela cofnięto ${credits(count)}. Saldo wynosi teraz ${number(balance)}.`,
    rest: (count) =>
      `Za tę płatność kupiono jeszcze ${credits(count)}, już zużyte. Saldo nie spada poniżej zera.`,
  },
  import: {
    ready: (count) => `gotowe: ${number(count)}`,
    failed: (count) => `nieudane: ${number(count)}`,
    subject: (outcomes) => `Lista obserwowanych firm: ${outcomes}`,
    intro: (at, count) =>
      `${at} zgłoszono ${plural(count, 'firmę', 'firmy', 'firm')} do listy obserwowanych. Oto wynik.`,
    removed: (count) => ` Usunięte w międzyczasie: ${number(count)}.`,
    readyHeading: (count) => `Gotowe: ${number(count)}`,
    readyHint: 'Ich zdarzenia trafiają odtąd do listy zdarzeń: GET /watchlist/events.',
    failedHeading: (count) => `Nieudane: ${number(count)}`,
    reason: (sentence) =>
      reasons.reduce((words, [form, polish]) => words.replace(form, polish), sentence),
    failedHint: 'Zgłoś numer jeszcze raz, aby ponowić import.',
  },
  digest: {
    severities,
    subject: (date, count, worst) => `${date}: ${changes(count)} w obserwowanych firmach, ${worst}`,
    intro: (source, date, count, totals) =>
      `${source} z ${date}: ${changes(count)} w obserwowanych firmach (${totals}).`,
    worstFirst: ' Najważniejsze są na początku.',
    worstOnly: (count) => ` Poniżej najważniejsze: ${number(count)}.`,
    total: (severity, count) => `${severities[severity]}: ${number(count)}`,
    heading: (severity, count) => `${capitalize(severities[severity])}: ${count}`,
    part: (shown, all) => `${number(shown)} z ${number(all)}`,
    moreHeading: (count) => `Pozostałe: ${number(count)}`,
    more: (totals) => `${totals}. Wszystkie są w liście zdarzeń:`,
    footnote:
      'Otrzymujesz tę wiadomość, bo na Twoim koncie włączone są powiadomienia e-mail. PATCH /watchlist/alerts określa, o których zdarzeniach.',
    stop: 'Wyłącz te wiadomości',
  },
};
