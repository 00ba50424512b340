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
        where
            entry.entry_key = wanted
            or entry.nip = number
            or entry.regon9 = number
            or entry.krs = number
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
        array[
            entry.nip, entry.regon9, entry.krs,
            registry.shown_name(entry.name, entry.first_name, entry.surname)
        ]
        || array(
            select past_number.identifier_value
            from registry.past_number
            where past_number.company_id = entry.company_id
        )
    ) as told (value)
    where told.value is not null
);

-- One row per trait of the entries, as a request about `source`, or about all registries, keeps it.
create or replace function person.keys_of(entries registry.entry[], wanted_source text)
returns table (key_hash bytea, bucket integer)
language sql stable
as $$
    select distinct person.hash(wanted_source, trait.value), person.bucket(trait.value, secret.seed)
    from unnest(entries) as entry
    cross join person.secret
    cross join lateral person.traits(
        entry.source, entry.entry_key, entry.nip, entry.regon9, entry.surname, entry.first_name,
        entry.name, entry.start_date
    ) as trait (value)
$$;

-- Erases what rejected rows, mails and stored answers say of entries that are named so.
create or replace function person.erase_copies(entries registry.entry[], names text[]) returns void
language plpgsql as $$
begin
    update registry.reject
    set raw = ''
    where
        exists (select from unnest(names) as name (value) where strpos(reject.raw, name.value) > 0)
        or exists (
            select from unnest(entries) as entry
            where
                strpos(reject.raw, entry.phone) > 0
                or strpos(reject.raw, entry.email) > 0
                or strpos(reject.raw, entry.surname) > 0
                and strpos(reject.raw, entry.first_name) > 0
        );

    -- A repeated request runs anew.
    delete from customer.idempotent_answer
    where exists (
        select from unnest(names) as name (value)
        where strpos(idempotent_answer.body::text, name.value) > 0
    );

    -- Of a company that a mail lists, the number stays where a customer gave it.
    update customer.mail
    set data = mail.data || erased.lists
    from (
        select
            listing.mail_id,
            jsonb_object_agg(listing.key, listing.items) as lists
        from (
            select
                mail.mail_id,
                list.key,
                jsonb_agg(
                    case when told.is_named then item.value || told.blank else item.value end
                    order by item.place
                ) as items
            from customer.mail
            cross join lateral jsonb_each(mail.data) as list
            cross join lateral jsonb_array_elements(
                case when jsonb_typeof(list.value) = 'array' then list.value end
            ) with ordinality as item (value, place)
            cross join lateral (
                select
                    bool_or(field.value = any(names)) as is_named,
                    jsonb_object_agg(field.key, null)
                        filter (where field.key in ('company_name', 'name', 'old_value', 'new_value'))
                        as blank
                from jsonb_each_text(item.value) as field
            ) as told
            group by mail.mail_id, list.key
            having bool_or(told.is_named)
        ) as listing
        group by listing.mail_id
    ) as erased
    where mail.mail_id = erased.mail_id;
end;
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
        select key.key_hash from person.keys_of(entries, wanted_source) as key
    );
begin
    entry_count := cardinality(entries);
    names := person.names_of(entries);
    if hashes <@ array(select suppressed_key.key_hash from person.suppressed_key) then
        return;
    end if;

    insert into person.suppression (source, reason, requested_by, requested_at, entry_count)
    values (wanted_source, why, who, moment, entry_count)
    returning suppression.suppression_id into suppression_id;

    insert into person.suppressed_key (suppression_id, key_hash, bucket)
    select forget.suppression_id, key.key_hash, key.bucket
    from person.keys_of(entries, wanted_source) as key;

    perform registry.withdraw(array(select entry.entry_id from unnest(entries) as entry));
    perform person.erase_copies(entries, names);
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

    -- Without a fingerprint a record is read again. A key that consisted of names is a hash.
    update registry.entry
    set fingerprint = null
    from person.suppression
    where
        suppression.suppression_id = wanted_id
        and entry.withdrawn_until = 'infinity'
        and exists (
            select
            from person.suppressed_key
            where
                suppressed_key.suppression_id = wanted_id
                and suppressed_key.key_hash in (
                    select key.key_hash
                    from person.keys_of(array[entry], suppression.source) as key
                    union all
                    select decode(nullif(split_part(entry.entry_key, 'withdrawn:', 2), ''), 'hex')
                )
        );

    delete from person.suppressed_key where suppressed_key.suppression_id = wanted_id;
    return true;
end;
$$;
