-- Defines the hashes by which a hidden person is recognized, and functions that erase the copies of the person's data.

-- Returns a keyed hash: SHA-256 of the key followed by the text. HMAC is not needed: no caller can submit a hash.
create or replace function person.hash(key bytea, trait text) returns bytea
language sql stable parallel safe return sha256(key || convert_to(trait, 'UTF8'));

-- Returns the hashes by which a later record of the same person is recognized. The first of the hashes is made from the
-- entry key. The other hashes are made from the NIP, the REGON, and the names with the start date. A hash is null if
-- the record lacks one of the hashed fields. An entry key that begins with `withdrawn:` already contains the first
-- hash. `entry` is a row of registry.entry, or a row of a night with the same columns.
create or replace function person.hashes(key bytea, entry anyelement) returns bytea[]
language sql stable parallel safe
as $$
    select array[
        case
            when starts_with(entry.entry_key, 'withdrawn:')
                then decode(substr(entry.entry_key, 11), 'hex')
            else person.hash(key, 'KEY ' || entry.source || ' ' || entry.entry_key)
        end,
        person.hash(key, 'NIP ' || entry.nip),
        person.hash(key, 'REGON9 ' || entry.regon9),
        person.hash(
            key,
            'NAME ' || entry.surname || '|' || coalesce(entry.first_name, '') || '|' || entry.name
            || '|' || entry.start_date
        )
    ]
$$;

create or replace function person.hashes(entry registry.entry) returns bytea[]
language sql stable parallel safe return (select person.hashes(secret.key, entry) from person.secret);

-- Returns the hashes of an entry key and of a number that may be a NIP or a REGON.
create or replace function person.hashes(source text, entry_key text, number text) returns bytea[]
language sql stable parallel safe
return person.hashes(
    jsonb_populate_record(
        null::registry.entry,
        jsonb_build_object('source', source, 'entry_key', entry_key, 'nip', number, 'regon9', number)
    )
);

-- Returns the names and numbers of entries that copies, such as mails, may show: all but `other_names`.
create or replace function person.names_of(entries registry.entry[]) returns text[]
language sql stable
return array(
    select distinct name.value
    from unnest(entries) as entry
    cross join lateral (
        select registry.shown_name(entry.name, entry.first_name, entry.surname) as value
        union all
        select number.identifier_value from registry.entry_numbers(entry) as number
        union all
        select identifier_value from registry.past_number where past_number.company_id = entry.company_id
    ) as name
    where name.value is not null
);

-- Returns whether a text contains one of the names; the text may be JSON with escaped quotation marks.
create or replace function person.holds(text text, names text[]) returns boolean
language sql immutable parallel safe
return exists (
    select from unnest(names) as name (value)
    where strpos(replace(holds.text, '\"', '"'), name.value) > 0
);

-- Returns the numbers of 9 to 14 digits in a text, and the first nine digits of each, which may be a company's number.
create or replace function person.numbers_in(text text) returns setof text
language sql immutable parallel safe as $$
    select found.number
    from regexp_matches(numbers_in.text, '[0-9]{9,14}', 'g') as match (part)
    cross join lateral (values (match.part[1]), (left(match.part[1], 9))) as found (number)
$$;

-- Erases the copies of hidden data in rejected rows, stored answers and mails. Copies are found by the numbers of the
-- given companies, and by the names in `known`, the former states of entries.
create or replace function person.erase_copies(company_ids bigint[], known registry.entry[]) returns void
language plpgsql as $$
declare
    names constant text[] := person.names_of(known);
    numbers constant text[] := array(
        select number.identifier_value
        from registry.entry
        cross join lateral registry.entry_numbers(entry) as number
        where entry.company_id = any(company_ids)
    );
begin
    update registry.reject
    set raw = ''
    where
        reject.raw <> ''
        and (
            person.holds(reject.raw, names)
            or exists (
                select from person.numbers_in(reject.raw) as number
                -- The test `is true` makes Postgres hash `numbers` once: a join would read all numbers for each row.
                where (number in (select unnest(numbers))) is true
            )
            or exists (
                select from unnest(known) as entry
                where
                    strpos(reject.raw, entry.phone) > 0
                    or strpos(reject.raw, entry.email) > 0
                    or strpos(reject.raw, entry.surname) > 0
                    and strpos(reject.raw, entry.first_name) > 0
            )
        );

    update registry.run
    set reason = ''
    where person.holds(run.reason, names);

    -- Deletes stored API responses that name the person, so that a repeated request gets a new response. The stored
    -- response of a snapshot request is also found by the company numbers in it.
    delete from customer.idempotent_answer
    where
        person.holds(idempotent_answer.body::text, names)
        or idempotent_answer.operation = 'snapshot'
        and exists (
            select from person.numbers_in(idempotent_answer.body::text) as number
            where (number in (select unnest(numbers))) is true
        );

    -- Erases the company names and values that a mail lists; the number that the customer submitted stays.
    update customer.mail
    set data = mail.data || (
        select coalesce(jsonb_object_agg(list.key, list.items), '{}')
        from (
            select
                field.key,
                jsonb_agg(
                    case
                        when names && array(select shown.value from jsonb_each_text(item.value) as shown)
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
    where person.holds(mail.data::text, names);
end;
$$;

-- Returns the entries that a number or an entry key identifies. If a registry is given, returns all entries of the
-- registry with the number or key. Without a registry, returns the natural persons' entries of the companies that have
-- the number now; if no company has it now, of the companies that had it before.
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
    )

    select entry.*
    from registry.entry
    where
        entry.company_id in (
            select named.company_id from named
            union all
            select coalesce(company.merged_into_id, company.company_id)
            from registry.past_number
            join registry.company using (company_id)
            where past_number.identifier_value = number and not exists (select from named)
        )
        and case
            when wanted_source is null then entry.entity_type = 'NATURAL'
            else
                entry.source = wanted_source
                and entry.entry_id in (select named.entry_id from named)
        end
$$;
