import type { Generated, JSONColumnType } from 'kysely';
import type { BigInteger, Counter, Identity, Json, Optional } from './column.ts';

export interface CustomerTables {
  'customer.rate_limit': {
    limit_key: string;
  };
  'customer.account': {
    account_id: Identity;
    user_ref: string;
    email: string;
    name: string;
    password_hash: string;
    created_at: Date;
    initialized_at: Optional<Date>;
    language: Generated<'pl' | 'en'>;
    recovered_at: Optional<Date>;
    ended_at: Optional<Date>;
  };
  'customer.one_time_token': {
    one_time_token_id: string;
    account_id: BigInteger;
    purpose: 'init' | 'recover';
    password_hash: Optional<string>;
    created_at: Date;
    expires_at: Date;
    used_at: Optional<Date>;
    cancelled_at: Optional<Date>;
  };
  'customer.token': {
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
  };
  'customer.wallet': {
    account_id: BigInteger;
    balance: Counter;
    total_purchased: Counter;
  };
  'customer.wallet_transaction': {
    account_id: BigInteger;
    operation_key: string;
  };
  'customer.credit_package': {
    package_slug: string;
    name: string;
    credits: BigInteger;
    price: BigInteger;
    currency: string;
    is_offered: Generated<boolean>;
  };
  'customer.payment': {
    payment_id: string;
    account_id: BigInteger;
    provider: string;
    provider_ref: Optional<string>;
    charge_ref: Optional<string>;
    checkout_url: Optional<string>;
    package_slug: string;
    credits: BigInteger;
    price: BigInteger;
    currency: string;
    state: 'open' | 'paid' | 'cancelled' | 'expired' | 'failed' | 'refused';
    refusal: Optional<string>;
    created_at: Date;
    ended_at: Optional<Date>;
    refunded: Counter;
    disputes: Generated<Record<string, number>>;
    reversed_credits: Counter;
    withdrawn_credits: Counter;
  };
  'customer.idempotent_answer': {
    account_id: BigInteger;
    operation: string;
    idempotency_key: string;
    request_hash: Buffer;
    headers: JSONColumnType<Record<string, string>>;
    body: JSONColumnType<object>;
    created_at: Date;
  };
  'customer.mail': {
    mail_id: Identity;
    mail_key: string;
    account_id: BigInteger;
    recipient: string;
    template: string;
    data: Json;
    created_at: Date;
  };
  'customer.alert_setting': {
    account_id: BigInteger;
    alerts_enabled: boolean;
    notify_via_email: boolean;
    alert_min_severity: string;
    alert_event_classes: string[] | null;
    alert_categories: string[] | null;
    notify_submissions: Generated<boolean>;
  };
  'customer.watch': {
    watch_id: Identity;
    account_id: BigInteger;
    company_id: Optional<string>;
    /** Null if the client added the company by its reference (`company_ref`), which is then in `identifier_value`. */
    identifier_type: string | null;
    identifier_value: string;
    /** The name of the company in the client's own data. */
    reference: Optional<string>;
    state: 'queued' | 'ready' | 'failed';
    has_custom_settings: Generated<boolean>;
    alerts_enabled: Optional<boolean>;
    notify_via_email: Optional<boolean>;
    alert_min_severity: Optional<string>;
    alert_event_classes: Optional<string[]>;
    alert_categories: Optional<string[]>;
  };
  'customer.webhook': {
    webhook_id: Identity;
    account_id: BigInteger;
    webhook_ref: string;
    url: string;
    scope: 'watched' | 'all';
    filters: Json;
    feed_filter: Json;
    max_events: number;
    has_heartbeat: boolean;
    state: Generated<'active' | 'disabled'>;
    disabled_reason: Optional<'paused' | 'gone' | 'failing'>;
    event_id: BigInteger;
    scanned_event_id: Optional<string>;
    published: JSONColumnType<Record<string, string>>;
    replay_count: Generated<number>;
    secret_version: Generated<number>;
    previous_secret_until: Optional<Date>;
    test_requested_at: Optional<Date>;
    attempt_count: Generated<number>;
    next_attempt_at: Optional<Date>;
    failing_since: Optional<Date>;
    leased_until: Optional<Date>;
    is_slow: Generated<boolean>;
    created_at: Date;
  };
  'customer.webhook_delivery': {
    delivery_id: Identity;
    webhook_id: BigInteger;
    message_id: string;
    kind: 'events' | 'heartbeat' | 'test';
    previous_event_id: BigInteger;
    event_id: BigInteger;
    event_count: number;
    attempt_no: number;
    started_at: Date;
    duration_ms: number;
    status_code: Optional<number>;
    error: Optional<string>;
    response: Optional<string>;
  };
}
