import type {
  AccountTable,
  AlertSettingTable,
  AlertTable,
  CreditPackageTable,
  FeedCountTable,
  FeedDayTable,
  FeedTable,
  IdempotentAnswerTable,
  MailTable,
  OneTimeTokenTable,
  PaymentTable,
  RateLimitTable,
  SubmissionItemTable,
  SubmissionTable,
  TokenTable,
  WalletTable,
  WalletTransactionTable,
  WatchTable,
  WelcomeBonusTable,
} from './customer.ts';
import type {
  ActivityCodeTable,
  ActivityGroupTable,
  ActivitySectionTable,
  CompanyTable,
  DailyStatTable,
  EntryTable,
  EventTable,
  EventTypeTable,
  LegalFormSymbolView,
  LegalFormTable,
  RunTable,
  SeverityTable,
  StockChangeTable,
  VoivodeshipTable,
} from './registry.ts';

/** The tables that the API reads and writes, by schema and name. */
export interface Tables {
  'customer.account': AccountTable;
  'customer.alert': AlertTable;
  'customer.alert_setting': AlertSettingTable;
  'customer.credit_package': CreditPackageTable;
  'customer.feed': FeedTable;
  'customer.feed_count': FeedCountTable;
  'customer.feed_day': FeedDayTable;
  'customer.idempotent_answer': IdempotentAnswerTable;
  'customer.mail': MailTable;
  'customer.one_time_token': OneTimeTokenTable;
  'customer.payment': PaymentTable;
  'customer.rate_limit': RateLimitTable;
  'customer.submission': SubmissionTable;
  'customer.submission_item': SubmissionItemTable;
  'customer.token': TokenTable;
  'customer.wallet': WalletTable;
  'customer.wallet_transaction': WalletTransactionTable;
  'customer.watch': WatchTable;
  'customer.welcome_bonus': WelcomeBonusTable;
  'registry.activity_code': ActivityCodeTable;
  'registry.activity_group': ActivityGroupTable;
  'registry.company': CompanyTable;
  'registry.daily_stat': DailyStatTable;
  'registry.entry': EntryTable;
  'registry.event': EventTable;
  'registry.event_type': EventTypeTable;
  'registry.legal_form': LegalFormTable;
  'registry.activity_section': ActivitySectionTable;
  'registry.legal_form_symbol': LegalFormSymbolView;
  'registry.run': RunTable;
  'registry.severity': SeverityTable;
  'registry.stock_change': StockChangeTable;
  'registry.voivodeship': VoivodeshipTable;
}
