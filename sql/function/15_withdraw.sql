-- Withdraws the personal fields of entries, and recognizes records of persons who asked for it.

-- A keyed hash. Nobody hands in hashes: the key before the text is enough, without HMAC.
create or replace function person.hash(key bytea, trait text) returns bytea
language sql stable parallel safe
return sha256(key || convert_to(trait, 'UTF8'));

-- The hashes by which a later record of the same person is recognized: of the key, which comes first, of
-- the numbers, and of the names with the start date. Null where the record lacks them. A withdrawn key
-- holds its hash.
create or replace function person.hashes(
    key bytea,
    source text,
    entry_key text,
    nip text,
    regon9 text,
    surname text,
    first_name text,
    name text,
    start_date date
) returns bytea[]
language sql stable parallel safe
return array[
    case
        when starts_with(entry_key, 'withdrawn:') then decode(substr(entry_key, 11), 'hex')
        else person.hash(key, 'KEY ' || source || ' ' || entry_key)
    end,
    person.hash(key, 'NIP ' || nip),
    person.hash(key, 'REGON9 ' || regon9),
    person.hash(
        key,
        'NAME ' || surname || '|' || coalesce(first_name, '') || '|' || name || '|' || start_date
    )
];

create or replace function person.hashes(entry registry.entry) returns bytea[]
language sql stable parallel safe
return (
    select
        person.hashes(
            secret.key, entry.source, entry.entry_key, entry.nip, entry.regon9, entry.surname,
            entry.first_name, entry.name, entry.start_date
        )
    from person.secret
);

-- The `withdrawn_until` of an entry that comes with its personal fields on a dump date.
create or replace function registry.end_withdrawal(withdrawn_until date, dump_date date) returns date
language sql immutable parallel safe
return case when withdrawn_until = 'infinity' then dump_date else withdrawn_until end;

-- Whether events of a category tell something personal of an entry.
create or replace function registry.is_personal(category text, entity_type text) returns boolean
language sql immutable parallel safe
return category in ('contacts', 'web_presence', 'ownership')
or entity_type = 'NATURAL' and category in ('identity', 'location');

-- An entry without its personal fields. Of a natural person only numbers, dates, activities, legal form
-- and voivodeship stay, since counts and statistics need them. A legal person keeps name and seat. A key
-- that consists of names becomes a hash.
create or replace function registry.withdrawn(entry registry.entry) returns registry.entry
language plpgsql stable parallel safe as $$
begin
    entry.withdrawn_until := 'infinity';
    entry.persons := null;
    entry.phone := null;
    entry.email := null;
    entry.fax := null;
    entry.website := null;
    entry.e_delivery := null;
    entry.said_line := null;
    if entry.entity_type = 'NATURAL' then
        if not exists (select from registry.entry_numbers(entry)) then
            entry.entry_key := 'withdrawn:' || encode((person.hashes(entry))[1], 'hex');
        end if;
        entry.name := null;
        entry.surname := null;
        entry.first_name := null;
        entry.postal_code := null;
        entry.county := null;
        entry.commune := null;
        entry.city := null;
        entry.street := null;
        entry.building := null;
        entry.apartment := null;
        entry.units := null;
        entry.address_ids := null;
    end if;
    entry.content_hash := registry.content_hash(entry);
    return entry;
end;
$$;

-- A unit without what its owner withholds: number, dates and commune stay.
create or replace function registry.withheld_unit(unit jsonb) returns jsonb
language sql immutable parallel safe
return unit
    - 'name'
    #- '{address,street}'
    #- '{address,building}'
    #- '{address,apartment}'
    #- '{address,postal_code}'
    || '{"is_partial": true}';

-- An entry without what its owner withholds by an objection at the registry. A legal person keeps its name.
create or replace function registry.withheld(entry registry.entry) returns registry.entry
language plpgsql stable parallel safe as $$
begin
    entry.is_partial := true;
    entry.untold := array['name', 'address'];
    if entry.entity_type = 'NATURAL' then
        entry.name := null;
        entry.surname := null;
        entry.first_name := null;
        entry.persons := null;
    end if;
    entry.street := null;
    entry.building := null;
    entry.apartment := null;
    entry.postal_code := null;
    entry.address_ids := null;
    entry.units := (
        select jsonb_agg(registry.withheld_unit(unit.value) order by unit.place)
        from jsonb_array_elements(entry.units) with ordinality as unit (value, place)
    );
    entry.content_hash := registry.content_hash(entry);
    return entry;
end;
$$;

-- Withdraws published entries, the values of their events, and what their companies show. The caller
-- holds the locks that nights publish under, and ends the publication.
create or replace function registry.withdraw(entry_ids bigint[]) returns void
language plpgsql as $$
declare
    company_ids bigint[] := array(
        select entry.company_id from registry.entry where entry.entry_id = any(entry_ids)
    );
begin
    perform registry.begin_publication();
    with known as (
        delete from registry.entry
        where entry.company_id = any(company_ids) and entry.entry_id = any(entry_ids)
        returning entry
    ),

    kept as (
        insert into registry.entry
        select withdrawn.*
        from known
        cross join lateral registry.withdrawn(known.entry) as withdrawn
        returning entry.entry_id, entry.source, entry.content_hash, entry.gone_date
    ),

    change as (
        select
            kept.source,
            sum(
                registry.state_hash(kept.content_hash, kept.gone_date)::numeric
                - registry.state_hash((known.entry).content_hash, kept.gone_date)
            ) as difference
        from kept
        join known on (known.entry).entry_id = kept.entry_id
        group by kept.source
    )

    update registry.run
    set state_hash = run.state_hash + change.difference
    from change
    where run.run_id = (
        select max(newest.run_id)
        from registry.run as newest
        where newest.source = change.source and newest.state in ('published', 'imported')
    );

    -- A corroboration is told by an entry of its own.
    update registry.event
    set old_value = null, new_value = null
    from registry.entry, registry.event_type
    where
        event.company_id = any(company_ids)
        and event.entry_id = any(entry_ids)
        and entry.company_id = event.company_id
        and entry.entry_id = event.entry_id
        and event_type.event_type = event.event_type
        and registry.is_personal(event_type.category, entry.entity_type);
    update registry.corroboration
    set old_value = null, new_value = null
    from registry.entry, registry.event, registry.event_type
    where
        corroboration.company_id = any(company_ids)
        and corroboration.entry_id = any(entry_ids)
        and entry.company_id = corroboration.company_id
        and entry.entry_id = corroboration.entry_id
        and event.company_id = corroboration.company_id
        and event.event_id = corroboration.event_id
        and event_type.event_type = event.event_type
        and registry.is_personal(event_type.category, entry.entity_type);

    perform registry.refresh_companies(company_ids);
    update registry.company
    set
        name = null,
        city = null,
        postal_code = null,
        changed_snapshot_no = registry.next_snapshot_no()
    where company.merged_into_id = any(company_ids);
end;
$$;
