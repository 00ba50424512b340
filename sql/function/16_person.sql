-- What a person, or the operator for a person, asks for.

-- The entries that a number or a key names: in one registry all that have it, else the entries of the
-- natural persons whose companies have it, or had it last.
create or replace function person.find_entries(wanted text, number text, wanted_source text)
returns setof registry.entry
language sql stable
as $$
    with named as (
        select entry.company_id, entry.entry_id
        from registry.entry
        where entry.entry_key = wanted
        union
        select found.company_id, found.entry_id
        from registry.identifier_type as type
        cross join lateral registry.entries_with(type.identifier_type, number) as found
    ),

    former as (
        select coalesce(company.merged_into_id, company.company_id) as company_id
        from registry.past_number
        join registry.company using (company_id)
        where past_number.identifier_value = number and not exists (select from named)
    )

    select entry.*
    from registry.entry
    where case
        when wanted_source is null then
            entry.entity_type = 'NATURAL'
            and entry.company_id in (
                select named.company_id from named union select former.company_id from former
            )
        else
            entry.source = wanted_source
            and entry.entry_id in (select named.entry_id from named)
    end
$$;

-- The numbers and names under which entries are told elsewhere, such as in mails.
create or replace function person.names_of(entries registry.entry[]) returns text[]
language sql stable
return array(
    select distinct told.value
    from unnest(entries) as entry
    cross join lateral unnest(
        array[registry.shown_name(entry.name, entry.first_name, entry.surname)]
        || array(
            select number.identifier_value from registry.entry_numbers(entry) as number
        )
        || array(
            select past_number.identifier_value
            from registry.past_number
            where past_number.company_id = entry.company_id
        )
    ) as told (value)
    where told.value is not null
);

-- Whether a text, or one inside JSON, tells one of the names.
create or replace function person.tells(text text, names text[]) returns boolean
language sql immutable parallel safe
return exists (
    select from unnest(names) as name (value)
    where strpos(replace(tells.text, '\"', '"'), name.value) > 0
);

-- Erases what rejected rows, mails and stored answers say of entries that are named so.
create or replace function person.erase_copies(entries registry.entry[], names text[]) returns void
language plpgsql as $$
begin
    update registry.reject
    set raw = ''
    where
        person.tells(reject.raw, names)
        or exists (
            select from unnest(entries) as entry
            where
                strpos(reject.raw, entry.phone) > 0
                or strpos(reject.raw, entry.email) > 0
                or strpos(reject.raw, entry.surname) > 0
                and strpos(reject.raw, entry.first_name) > 0
        );

    update registry.run
    set reason = ''
    where person.tells(run.reason, names);

    -- A repeated request runs anew.
    delete from customer.idempotent_answer
    where person.tells(idempotent_answer.body::text, names);

    -- Of a company that a mail lists, the number stays where a customer gave it.
    update customer.mail
    set data = mail.data || (
        select coalesce(jsonb_object_agg(list.key, list.items), '{}')
        from (
            select
                field.key,
                jsonb_agg(
                    case
                        when names && array(select told.value from jsonb_each_text(item.value) as told)
                            then item.value
                                || '{"company_name": null, "name": null, "old_value": null, "new_value": null}'
                        else item.value
                    end
                    order by item.place
                ) as items
            from jsonb_each(mail.data) as field
            cross join lateral jsonb_array_elements(
                case when jsonb_typeof(field.value) = 'array' then field.value end
            ) with ordinality as item (value, place)
            group by field.key
        ) as list
    )
    where person.tells(mail.data::text, names);
end;
$$;

-- The numbers that a text tells; of a longer one also its first nine digits, which may be the company's.
create or replace function person.numbers_in(text text) returns setof text
language sql immutable parallel safe as $$
    select told.number
    from regexp_matches(numbers_in.text, '[0-9]{9,14}', 'g') as match (part)
    cross join lateral (values (match.part[1]), (left(match.part[1], 9))) as told (number)
$$;

-- Erases what stored answers and rejected rows say of companies, by their ids and numbers. Each
-- text is looked at once, however many companies there are. Stored answers are the paid
-- snapshots of the last 24 hours.
create or replace function person.erase_copies(company_ids bigint[], numbers text[]) returns void
language sql as $$
    update registry.reject
    set raw = ''
    where (reject.run_id, reject.file, reject.line) in (
        select told.run_id, told.file, told.line
        from registry.reject as told
        cross join lateral person.numbers_in(told.raw) as number
        join unnest(numbers) as known (number) using (number)
        where told.raw <> ''
    );

    delete from customer.idempotent_answer
    where (account_id, operation, idempotency_key) in (
        select told.account_id, told.operation, told.idempotency_key
        from customer.idempotent_answer as told
        cross join lateral person.numbers_in(told.body::text) as number
        join unnest(numbers) as known (number) using (number)
        where told.operation = 'snapshot'
    );
$$;

-- Suppresses the entries of a person. Returns the request and the numbers and names that were told
-- elsewhere. Without `suppression_id`: nothing is found (`entry_count` 0), or all of it is suppressed.
create or replace function person.forget(
    wanted text,
    number text,
    wanted_source text,
    why text,
    who text,
    moment timestamptz,
    out suppression_id bigint,
    out entry_count integer,
    out names text[]
)
language plpgsql as $$
declare
    entries registry.entry[] := array(
        select entry from person.find_entries(wanted, number, wanted_source) as entry
    );
    hashes bytea[] := array(
        select distinct hash.value
        from unnest(entries) as entry
        cross join lateral unnest(person.hashes(entry)) as hash (value)
        where hash.value is not null
    );
begin
    entry_count := cardinality(entries);
    names := person.names_of(entries);
    if not exists (
        select from unnest(hashes) as hash (value)
        where hash.value not in (
            select suppressed_key.key_hash
            from person.suppressed_key
            join person.suppression using (suppression_id)
            where suppression.source is not distinct from wanted_source
        )
    ) then
        return;
    end if;

    insert into person.suppression (source, reason, requested_by, requested_at, entry_count)
    values (wanted_source, why, who, moment, entry_count)
    returning suppression.suppression_id into suppression_id;

    insert into person.suppressed_key (suppression_id, key_hash)
    select forget.suppression_id, hash.value from unnest(hashes) as hash (value);

    perform registry.withdraw(array(select entry.entry_id from unnest(entries) as entry));
    perform person.erase_copies(entries, names);
    perform registry.end_publication();
end;
$$;

-- Lifts a request: the next dump that holds the records brings the personal fields back. Returns whether
-- there was such a request.
create or replace function person.lift(wanted_id bigint, moment timestamptz) returns boolean
language plpgsql as $$
begin
    update person.suppression
    set lifted_at = moment
    where suppression.suppression_id = wanted_id and suppression.lifted_at is null;
    if not found then
        return false;
    end if;

    -- Without a fingerprint a record is read again.
    update registry.entry
    set fingerprint = null
    where
        entry.withdrawn_until = 'infinity'
        and person.hashes(entry) && array(
            select suppressed_key.key_hash
            from person.suppressed_key
            where suppressed_key.suppression_id = wanted_id
        );

    delete from person.suppressed_key where suppressed_key.suppression_id = wanted_id;
    return true;
end;
$$;

-- Everything that is stored of the natural person that a number or a key names; null where nothing is.
create or replace function person.describe(
    wanted text,
    number text,
    wanted_source text default null
) returns jsonb
language plpgsql stable as $$
declare
    entries registry.entry[] := array(
        select entry from person.find_entries(wanted, number, wanted_source) as entry
    );
    names text[] := person.names_of(entries) || number;
    company_ids bigint[] := array(select distinct entry.company_id from unnest(entries) as entry);
    suppressions jsonb := (
        select jsonb_agg(suppression order by suppression.suppression_id)
        from person.suppression
        where suppression.suppression_id in (
            select suppressed_key.suppression_id
            from person.suppressed_key
            where suppressed_key.key_hash in (
                select unnest(person.hashes(entry)) from unnest(entries) as entry
                union all
                select unnest(
                    person.hashes(
                        secret.key, run.source, wanted, number, number, null, null, null, null
                    )
                )
                from person.secret
                cross join (select distinct run.source from registry.run) as run
            )
        )
    );
begin
    if cardinality(entries) = 0 and suppressions is null then
        return null;
    end if;
    return jsonb_build_object(
        'entries', (
            select coalesce(jsonb_agg(shown), '[]')
            from unnest(entries) as entry
            cross join lateral registry.show_entry(entry) as shown
        ),
        'companies', (
            select coalesce(jsonb_agg(company), '[]') from registry.company
            where company.company_id = any(company_ids) or company.merged_into_id = any(company_ids)
        ),
        'events', (
            select coalesce(jsonb_agg(event order by event.event_id), '[]') from registry.event
            where
                event.company_id = any(company_ids)
                and event.entry_id in (select entry.entry_id from unnest(entries) as entry)
        ),
        'corroborations', (
            select coalesce(jsonb_agg(corroboration), '[]') from registry.corroboration
            where
                corroboration.company_id = any(company_ids)
                and corroboration.entry_id in (select entry.entry_id from unnest(entries) as entry)
        ),
        'past_numbers', (
            select coalesce(jsonb_agg(past_number), '[]') from registry.past_number
            where past_number.company_id = any(company_ids)
        ),
        'rejects', (
            select coalesce(jsonb_agg(reject), '[]') from registry.reject
            where person.tells(reject.raw, names)
        ),
        'suppressions', coalesce(suppressions, '[]'),
        -- How many customers, not who.
        'watch_count', (
            select count(*) from customer.watch
            where watch.company_id = any(company_ids) or watch.identifier_value = any(names)
        ),
        'mail_count', (
            select count(*) from customer.mail
            where person.tells(mail.data::text, names)
        )
    );
end;
$$;
