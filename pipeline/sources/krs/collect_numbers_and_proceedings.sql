-- Functions for company numbers and for proceedings, which the mapping of KRS calls.

-- Returns whether a NIP or REGON is in force according to its status in KRS; true if KRS states no status.
create function stage.is_in_force(status text) returns boolean
language sql immutable return coalesce(registry.lower(status) ~ '^(aktywn|aktualn|nadan|ważn)', true);

-- Returns a company's NIP or REGON: the number in the extract if it is valid and in force. For a cancelled number,
-- returns a different known number, else null. For an invalid number or an unknown status, returns the known number.
create function stage.krs_number_in_force(
    number text,
    status text,
    is_valid boolean,
    known text
) returns text
language sql immutable
return case
    when number is null then null
    when not is_valid then known
    when stage.is_in_force(status) then number
    when registry.is_cancelled(status) then nullif(known, number)
    else known
end;

-- Returns the last open proceeding of a company, or its last ended proceeding if none is open. The day of an opening or
-- end is its stated date, else the day of its register entry, else the known day, else `last_entry_day` (the day of the
-- only register entry since the known extract). An open proceeding also gets the known end of an earlier proceeding.
create function stage.krs_proceeding(
    items jsonb,
    last_entry_day text,
    known_state text,
    known_start_date date,
    known_end_date date
) returns table (state text, start_day text, end_day text)
language sql stable
begin atomic
    with stated as (
        select
            item.place,
            case when item.value ? 'zakonczenie' then 'ENDED' else 'OPEN' end as state,
            coalesce(
                registry.calendar_day(item.value #>> '{otwarcie,data}')::text,
                item.value #>> '{otwarcie,entry_day}'
            ) as start_day,
            coalesce(
                registry.calendar_day(item.value #>> '{zakonczenie,data}')::text,
                item.value #>> '{zakonczenie,entry_day}'
            ) as end_day
        from jsonb_array_elements(items) with ordinality as item (value, place)
        where
            item.value ? 'otwarcie'
            -- KRS also lists liquidations among the restructurings, so items with the kind "likwidac…" are left out.
            and registry.lower(coalesce(item.value #>> '{otwarcie,rodzajPostepowania}', ''))
            !~ 'likwidac'
    )

    select
        stated.state,
        coalesce(
            stated.start_day,
            case
                when known_state in ('OPEN', stated.state) then known_start_date::text
                else last_entry_day
            end
        ),
        case
            when stated.state = 'ENDED' then coalesce(
                stated.end_day,
                case when known_state = 'ENDED' then known_end_date::text else last_entry_day end
            )
            when known_state = 'OPEN' then coalesce(
                (
                    select max(coalesce(former.end_day, last_entry_day))
                    from stated as former
                    where former.state = 'ENDED' and former.start_day = known_start_date::text
                ),
                known_end_date::text
            )
        end
    from stated
    order by stated.state = 'ENDED', stated.start_day desc nulls first, stated.place desc
    limit 1;
end;
