-- Defines which fields of an event a feed shows, and which events the filter of a feed selects.

-- Returns an event as one row of the feed of the account `reader_id`. The row of a company without numbers shows the
-- number that the account submitted; `primary_identifier` of 07_number.sql chooses one of a company's numbers.
-- `feed_item` is dropped first, since its earlier versions return other columns.
drop function if exists customer.feed_item(bigint, bigint);
create function customer.feed_item(reader_id bigint, event_id bigint) returns table (
    id bigint, event_type text, old_value text, new_value text, event_date date, severity text,
    event_class text, category text, source text, country_code text,
    primary_identifier text, identifier_type text, company_name text, company_ref text,
    submitted_identifier text, reference text
)
language sql stable as $$
    select
        event.event_id, event.event_type, event.old_value, event.new_value, event.event_date,
        event_type.severity, event_type.event_class, event_type.category, event.source,
        company.country_code,
        coalesce(
            registry.primary_identifier(company),
            case when watch.identifier_type is not null then watch.identifier_value end
        ),
        coalesce(registry.identifier_type(company), watch.identifier_type),
        company.name,
        company.company_id::text,
        watch.identifier_value,
        watch.reference
    from registry.event
    join registry.event_type on event_type.event_type = event.event_type
    join registry.company on company.company_id = event.company_id
    left join customer.watch
        on watch.account_id = feed_item.reader_id
        and watch.company_id = company.company_id
    where event.event_id = feed_item.event_id;
$$;

-- Returns the JSON filter of a feed as one row of columns; sql/feed.ts describes the fields of a filter. A null column
-- of the filter selects all values. `types` lists the event types that match the filter's types, severities, classes
-- and categories in today's dictionary. `activities` lists `like` patterns such as `%,47%`, which finds a code that
-- begins with 47 in a list with a comma before each code.
create or replace function registry.feed_filter(filter jsonb) returns table (
    countries text[], types text[], sources text[], regions text[], legal_forms text[],
    activities text[], from_date date, to_date date
)
language sql stable rows 1 as $$
    select
        asked.countries,
        case
            when num_nonnulls(asked.event_types, asked.severities, asked.event_classes, asked.categories) > 0
                then array(
                    select type.event_type
                    from registry.event_type as type
                    where
                        type.event_type = any(coalesce(asked.event_types, array[type.event_type]))
                        and type.severity = any(coalesce(asked.severities, array[type.severity]))
                        and type.event_class = any(coalesce(asked.event_classes, array[type.event_class]))
                        and type.category = any(coalesce(asked.categories, array[type.category]))
                )
        end,
        asked.sources,
        asked.regions,
        asked.legal_forms,
        (select array_agg('%,' || prefix || '%') from unnest(asked.activity_prefixes) as prefix),
        coalesce(asked.from_date, '-infinity'),
        coalesce(asked.to_date, 'infinity')
    from jsonb_to_record(feed_filter.filter) as asked (
        countries text[], event_types text[], severities text[], event_classes text[], categories text[],
        sources text[], regions text[], legal_forms text[], activity_prefixes text[],
        from_date date, to_date date
    );
$$;

-- Returns one row if the present country, region, legal form and activities of a company match a filter; else no row.
-- In a filter, the code of a region or legal form follows the country code and a space, since two countries may use the
-- same code. As in the search, the activities of a deleted entry count only if the company is deleted too.
create or replace function registry.selected_company(
    wanted_id bigint,
    countries text[],
    regions text[],
    legal_forms text[],
    activities text[]
) returns table (company_id bigint)
language sql stable rows 1 as $$
    select company.company_id
    from registry.company
    where
        company.company_id = wanted_id
        and (countries is null or company.country_code = any(countries))
        and (regions is null or company.country_code || ' ' || company.voivodeship = any(regions))
        and (legal_forms is null or company.country_code || ' ' || company.legal_form = any(legal_forms))
        and (
            activities is null
            or (
                select true
                from registry.entry
                where
                    entry.company_id = company.company_id
                    and (entry.status <> 'DELETED' or company.status = 'DELETED')
                    and ',' || replace(entry.activity_codes, '.', '') like any (activities)
                limit 1
            )
        );
$$;
