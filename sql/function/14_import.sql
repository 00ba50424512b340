-- Enqueues the one job that asks the registries for the numbers of queued watches.
create or replace function customer.enqueue_import() returns void
language sql as $$
    select graphile_worker.add_job(
        'import',
        '{}',
        queue_name => 'import',
        job_key => 'import',
        job_key_mode => 'preserve_run_at'
    );
$$;

-- Returns the queued watches of the given numbers, a list of objects.
create or replace function customer.awaiting(numbers jsonb) returns bigint[]
language sql stable as $$
    select array(
        select watch.watch_id
        from jsonb_to_recordset(numbers) as asked (identifier_type text, identifier_value text)
        join customer.watch using (identifier_type, identifier_value)
        where watch.state = 'queued'
    );
$$;

-- Lists the accounts with numbers whose import is due: the count of numbers, and the time since which the oldest is
-- due.
create or replace view customer.import_queue as
select
    watch.account_id,
    count(*) as number_count,
    min(greatest(watch.next_attempt_at, watch.created_at)) as due_since
from customer.watch
where
    watch.state = 'queued'
    and watch.next_attempt_at <= now()
group by watch.account_id;
