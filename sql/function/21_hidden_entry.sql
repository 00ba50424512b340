-- Defines the policy of an entry: which of its fields the service shows. Fields are hidden because a person asked for
-- it (`withdrawn_until`), or because the owner objects at the registry (`is_partial`, `unstated`). The list
-- `hidden_columns` of person.hidden names the hidden fields; person.erase_copies (22_person.sql) erases the copies of
-- their values. Lists and the search show no withheld name, since they use `registry.listed_name` of 09_name.sql.

-- Returns the new value of `withdrawn_until` for an entry whose personal fields are shown again from `dump_date` on.
create or replace function registry.end_withdrawal(withdrawn_until date, dump_date date) returns date
language sql immutable parallel safe
return case when withdrawn_until = 'infinity' then dump_date else withdrawn_until end;

-- Returns whether events of a category contain personal data of an entry's person.
create or replace function registry.is_personal(category text, entity_type text) returns boolean
language sql immutable parallel safe
return category in ('contacts', 'web_presence', 'ownership')
or entity_type = 'NATURAL' and category in ('identity', 'location');

-- Returns whether the policy of an entry hides the values of an event. The number of a unit is public, so that an event
-- with only this number is not hidden. Events about an unstated start date are not hidden: the date may be unknown.
create or replace function person.hides(entry registry.entry, type registry.event_type, value text) returns boolean
language sql immutable parallel safe
return coalesce(
    entry.withdrawn_until = 'infinity' and registry.is_personal(type.category, entry.entity_type)
    or entry.is_partial
    and (type.category = 'location' or registry.is_personal(type.category, entry.entity_type))
    and (type.subject <> 'unit' or value ~ '[^0-9]')
    or type.subject <> 'start date' and type.subject = any(entry.unstated),
    false
);

-- Lists the companies whose owner objects to being found: no list of all companies or events shows these companies. The
-- objection of a gone entry, which no later dump can lift, is ignored if a present entry of the company has none.
create or replace view registry.objecting_company as
select entry.company_id
from registry.entry
where
    entry.is_partial
    and (
        entry.gone_date is null
        or not exists (
            select from registry.entry as kept
            where
                kept.company_id = entry.company_id
                and kept.gone_date is null
                and kept.is_partial is not true
        )
    );

-- Returns an entry, or a row of a night that becomes an entry, without the fields that a policy hides. The reason for
-- hiding is `request` (of a person), `objection` (at the registry), or `period` (the entry ended long ago). For
-- `request` and `period`, a natural person's entry keeps numbers, dates, activities, legal form and voivodeship. An
-- entry key that consists of names is replaced by a hash. The hidden entry of a legal person loses its persons and
-- contacts. For the reason `objection`, an entry keeps numbers, dates, communes, and the name of a legal person.
create or replace function person.hidden(entry anyelement, reason text) returns anyelement
language plpgsql stable parallel safe as $$
declare
    hidden registry.entry := jsonb_populate_record(null::registry.entry, to_jsonb(entry));
    hidden_columns constant text[] := case
        when reason = 'objection' and hidden.entity_type = 'NATURAL'
            then '{name, surname, first_name, persons, street, building, apartment, postal_code, address_ids,
                other_names, attributes}'
        when reason = 'objection' then '{street, building, apartment, postal_code, address_ids, other_names}'
        when hidden.entity_type = 'NATURAL'
            then '{persons, phone, email, fax, website, e_delivery, said_line, name, surname, first_name,
                postal_code, county, commune, city, street, building, apartment, units, address_ids, other_names,
                attributes}'
        else '{persons, phone, email, fax, website, e_delivery, said_line}'
    end;
begin
    if reason = 'objection' then
        hidden.is_partial := true;
        hidden.unstated := array['name', 'address'];
        hidden.attributes := hidden.attributes - 'unit_activities';
        hidden.units := (
            select jsonb_agg(
                unit.value - 'name' #- '{address,street}' #- '{address,building}' #- '{address,apartment}'
                #- '{address,postal_code}' || '{"is_partial": true}'
                order by unit.place
            )
            from jsonb_array_elements(hidden.units) with ordinality as unit (value, place)
        );
    else
        hidden.withdrawn_until := 'infinity';
        if hidden.entity_type = 'NATURAL' and not exists (select from registry.entry_numbers(hidden)) then
            hidden.entry_key := 'withdrawn:' || encode((person.hashes(hidden))[1], 'hex');
        end if;
    end if;
    hidden := jsonb_populate_record(
        hidden,
        (select jsonb_object_agg(name, null::text) from unnest(hidden_columns) as name)
    );
    hidden.content_hash := registry.content_hash(hidden);
    return jsonb_populate_record(entry, to_jsonb(hidden));
end;
$$;

-- Erases the hidden values of companies in events, in confirmations by other registries, and in copies such as mails.
-- Whether an event is erased depends on the policy of the entry that the event is about. Copies are also found by the
-- names in `known`, the former states of the entries.
create or replace function person.erase(company_ids bigint[], known registry.entry[]) returns void
language plpgsql as $$
declare
    changes regclass;
begin
    if cardinality(company_ids) = 0 then
        return;
    end if;
    foreach changes in array '{registry.event, registry.corroboration}'::regclass[] loop
        execute format(
            'update %s as change
            set old_value = null, new_value = null
            from registry.event, registry.event_type as type, registry.entry
            where
                change.company_id = any($1)
                and event.company_id = change.company_id
                and event.event_id = change.event_id
                and type.event_type = event.event_type
                and entry.company_id = change.company_id
                and entry.entry_id = change.entry_id
                and person.hides(entry, type, coalesce(change.new_value, change.old_value))',
            changes
        )
        using company_ids;
    end loop;
    perform person.erase_copies(company_ids, known);
end;
$$;

-- Hides fields of published entries, and erases the hidden values in events and copies. After a person's request,
-- copies of the values are also found by name. Without a request, copies are found by name only for watched companies:
-- mails show no other companies. The caller must hold the locks of nightly publications, and must end the publication.
create or replace function person.hide(known registry.entry[], reason text) returns void
language plpgsql as $$
declare
    company_ids constant bigint[] := array(select distinct entry.company_id from unnest(known) as entry);
begin
    if cardinality(known) = 0 then
        return;
    end if;
    perform set_config('registry.change_no', registry.next_snapshot_no()::text, true);
    delete from registry.entry
    using unnest(known) as shown
    where entry.company_id = shown.company_id and entry.entry_id = shown.entry_id;

    insert into registry.entry
    select hidden.*
    from unnest(known) as shown
    cross join lateral person.hidden(shown, reason) as hidden;

    update registry.run
    set state_hash = run.state_hash + change.difference
    from (
        select
            entry.source,
            sum(
                registry.state_hash(entry.content_hash, entry.gone_date)::numeric
                - registry.state_hash(shown.content_hash, shown.gone_date)
            ) as difference
        from unnest(known) as shown
        join registry.entry using (company_id, entry_id)
        group by entry.source
    ) as change
    where run.run_id = registry.newest_run(change.source);

    perform registry.refresh_companies(company_ids);
    perform person.erase(
        company_ids,
        array(
            select shown
            from unnest(known) as shown
            where
                reason = 'request'
                or exists (select from customer.watch where watch.company_id = shown.company_id)
        )
    );
end;
$$;
