-- Returns one row: all stored data of the natural person whom the key $1 or the number $2 identifies, as JSON. If $3 is
-- given, searches only the registry $3. Returns no row if no data is stored.
with known as materialized (
    select found as entry, found.company_id, found.entry_id
    from person.find_entries($1::text, $2::text, $3::text) as found
),

named as materialized (
    select person.names_of(array(select known.entry from known)) || $2 as names
),

suppression as materialized (
    select suppression.*
    from person.suppression
    where suppression.suppression_id in (
        select suppressed_key.suppression_id
        from person.suppressed_key
        where suppressed_key.key_hash in (
            select unnest(person.hashes(known.entry)) from known
            union all
            select unnest(person.hashes(source.source, $1, $2)) from registry.source
        )
    )
)

select jsonb_pretty(jsonb_object_agg(part.name, coalesce(part.stored, '[]'))) as person
from (
    select
        'entries' as name,
        jsonb_agg(
            to_jsonb(known.entry) - '{closed_units, address_ids}'::text[] || to_jsonb(part)
            order by known.entry_id
        ) as stored
    from known
    cross join lateral registry.show_parts(known.entry) as part
    union all
    select 'companies', jsonb_agg(company)
    from registry.company
    where
        company.company_id = any(array(select known.company_id from known))
        or company.merged_into_id = any(array(select known.company_id from known))
    union all
    select 'events', jsonb_agg(event order by event.event_id)
    from registry.event
    join known using (company_id, entry_id)
    union all
    select 'corroborations', jsonb_agg(corroboration)
    from registry.corroboration
    join known using (company_id, entry_id)
    union all
    select 'past_numbers', jsonb_agg(past_number)
    from registry.past_number
    where past_number.company_id in (select known.company_id from known)
    union all
    select 'rejects', jsonb_agg(reject)
    from registry.reject
    cross join named
    where person.holds(reject.raw, named.names)
    union all
    select 'suppressions', jsonb_agg(suppression order by suppression.suppression_id)
    from suppression
    union all
    -- Counts the watches on the person's companies, without naming the customers who watch.
    select 'watch_count', to_jsonb(count(*))
    from customer.watch
    cross join named
    where
        watch.company_id in (select known.company_id from known)
        or watch.identifier_value = any(named.names)
    union all
    select 'mail_count', to_jsonb(count(*))
    from customer.mail
    cross join named
    where person.holds(mail.data::text, named.names)
) as part
having exists (select from known) or exists (select from suppression)
