-- The workers look every second for numbers that are due.
create index watch_due_idx on customer.watch (next_attempt_at) where state = 'queued';
