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
} from './customer.ts';
import type {
  ActivityCodeTable,
  CompanyTable,
  DailyStatTable,
  EntryTable,
  EventTable,
  EventTypeTable,
  LegalFormSymbolView,
  LegalFormTable,
  RunTable,
  SeverityTable,
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
  'registry.activity_code': ActivityCodeTable;
  'registry.company': CompanyTable;
  'registry.daily_stat': DailyStatTable;
  'registry.entry': EntryTable;
  'registry.event': EventTable;
  'registry.event_type': EventTypeTable;
  'registry.legal_form': LegalFormTable;
  'registry.legal_form_symbol': LegalFormSymbolView;
  'registry.run': RunTable;
  'registry.severity': SeverityTable;
  'registry.voivodeship': VoivodeshipTable;
}
