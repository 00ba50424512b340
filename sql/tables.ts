import type { ColumnType, Generated, JSONColumnType } from 'kysely';

// What the driver gives and takes: `bigint` is text on the way out, so that no digit is lost, and a
// `date` is text both ways (YYYY-MM-DD).
type BigInteger = ColumnType<string, string | number | bigint>;
/** Assigned by the table. */
type Identity = ColumnType<string, never, never>;
type Counter = ColumnType<string, string | number | bigint | undefined, string | number | bigint>;
type Optional<Type> = ColumnType<Type | null, Type | null | undefined>;
type Json = JSONColumnType<Record<string, unknown>>;

interface DailyStatTable {
  source: string;
  stat_date: string;
  new_count: BigInteger;
  updated_count: BigInteger;
  deleted_count: BigInteger;
  entry_count: BigInteger;
  is_baseline: boolean;
}

interface RateLimitTable {
  limit_key: string;
  hit_count: BigInteger;
  reset_at: Date;
}

interface AccountTable {
  account_id: Identity;
  user_ref: string;
  email: string;
  name: string;
  password_hash: string;
  created_at: Date;
  initialized_at: Optional<Date>;
}

interface OneTimeTokenTable {
  one_time_token_id: string;
  account_id: BigInteger;
  purpose: 'init' | 'recover';
  password_hash: Optional<string>;
  created_at: Date;
  expires_at: Date;
  used_at: Optional<Date>;
  cancelled_at: Optional<Date>;
}

interface TokenTable {
  token_id: Identity;
  token_ref: string;
  account_id: BigInteger;
  kind: 'master' | 'api';
  name: string;
  secret_hash: Buffer;
  lifetime_days: Optional<number>;
  created_at: Date;
  expires_at: Optional<Date>;
  revoked_at: Optional<Date>;
  last_used_at: Optional<Date>;
  last_used_ip: Optional<string>;
  usage_count: Counter;
}

interface WalletTable {
  account_id: BigInteger;
  balance: Counter;
  total_purchased: Counter;
  last_transaction_no: Counter;
}

interface WalletTransactionTable {
  account_id: BigInteger;
  transaction_no: BigInteger;
  type: 'deposit' | 'start' | 'withdraw';
  amount: BigInteger;
  balance_before: BigInteger;
  balance_after: BigInteger;
  description: string;
  operation_key: string;
  created_at: Date;
}

interface CreditPackageTable {
  package_slug: string;
  name: string;
  credits: BigInteger;
  price: BigInteger;
  currency: string;
  is_offered: Generated<boolean>;
}

interface PaymentTable {
  payment_id: string;
  account_id: BigInteger;
  provider: string;
  provider_ref: Optional<string>;
  checkout_url: Optional<string>;
  package_slug: string;
  credits: BigInteger;
  price: BigInteger;
  currency: string;
  state: 'open' | 'paid' | 'cancelled' | 'expired' | 'failed' | 'refused';
  refusal: Optional<string>;
  created_at: Date;
  ended_at: Optional<Date>;
}

interface IdempotentAnswerTable {
  account_id: BigInteger;
  operation: string;
  idempotency_key: string;
  request_hash: Buffer;
  headers: JSONColumnType<Record<string, string>> | null;
  body: JSONColumnType<object> | null;
  created_at: Date;
}

interface MailTable {
  mail_id: Identity;
  mail_key: string;
  message_id: Generated<string>;
  account_id: BigInteger;
  recipient: string;
  template: string;
  data: Json;
  state: Generated<'queued' | 'sent' | 'failed' | 'dropped'>;
  attempt_count: Generated<number>;
  last_error: Optional<string>;
  created_at: Date;
  ended_at: Optional<Date>;
}

/** The tables that the API reads and writes, by schema and name. */
export interface Tables {
  'customer.account': AccountTable;
  'customer.credit_package': CreditPackageTable;
  'customer.idempotent_answer': IdempotentAnswerTable;
  'customer.mail': MailTable;
  'customer.one_time_token': OneTimeTokenTable;
  'customer.payment': PaymentTable;
  'customer.rate_limit': RateLimitTable;
  'customer.token': TokenTable;
  'customer.wallet': WalletTable;
  'customer.wallet_transaction': WalletTransactionTable;
  'registry.daily_stat': DailyStatTable;
}
