-- The index serves the workers, which look every second for watched numbers whose import is due.
create index watch_due_idx on customer.watch (next_attempt_at) where state = 'queued';
