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

-- Fails the queued watches of numbers that no registry has, each with its reason, and settles their
-- submissions.
create or replace function customer.fail_awaited(
    identifier_types text[],
    identifier_values text[],
    failures text[],
    moment timestamptz
) returns void
language plpgsql as $$
declare
    concerned bigint[];
begin
    perform registry.lock_until_commit('customer.watch');

    concerned := array(
        select watch.account_id
        from unnest(identifier_types, identifier_values) as failed (identifier_type, identifier_value)
        join customer.watch using (identifier_type, identifier_value)
        where watch.state = 'queued'
    );

    perform customer.lock_accounts(concerned);

    update customer.watch
    set
        state = 'failed',
        failed_at = moment,
        failure = failed.failure
    from unnest(identifier_types, identifier_values, failures)
        as failed (identifier_type, identifier_value, failure)
    where
        watch.identifier_type = failed.identifier_type
        and watch.identifier_value = failed.identifier_value
        and watch.state = 'queued'
        and watch.account_id = any(concerned);

    perform customer.settle_submissions(concerned, moment);
end;
$$;
