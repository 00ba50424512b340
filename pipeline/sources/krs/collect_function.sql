-- What the mapping asks more than once.

-- Whether the status of a number says that it is in force; one without a status is.
create function stage.is_in_force(status text) returns boolean
language sql immutable
return coalesce(registry.lower(status) ~ '^(aktywn|aktualn|nadan|ważn)', true);

-- What a number means: itself, where it is valid and in force. A cancelled number is none; another
-- known number stays. A number that is not valid, or has an unknown status, says nothing: the known one
-- stays.
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

-- The proceedings that count: open ones before ended ones, then the last. A decision without a date has
-- the day of its entry, which a full extract states; else the known day; else `last_entry_day`, that of
-- the only entry since the known one. Open ones have the end of those that were open before.
create function stage.krs_proceeding(
    items jsonb,
    last_entry_day text,
    known_state text,
    known_start_date date,
    known_end_date date
) returns jsonb
language sql stable
return (
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
            -- An orderly liquidation stands among the restructurings.
            and registry.lower(coalesce(item.value #>> '{otwarcie,rodzajPostepowania}', ''))
            !~ 'likwidac'
    )

    select jsonb_build_object(
        'state', stated.state,
        'start_day', coalesce(
            stated.start_day,
            case
                when known_state in ('OPEN', stated.state) then known_start_date::text
                else last_entry_day
            end
        ),
        'end_day', case
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
    )
    from stated
    order by stated.state = 'ENDED', stated.start_day desc nulls first, stated.place desc
    limit 1
);
