-- Every second, workers use the index to find watched numbers whose import is due.
create index watch_due_idx on customer.watch (next_attempt_at) where state = 'queued';
