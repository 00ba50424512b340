-- An address on one line, the same for all registries: without case, accents and blanks, and with one
-- way to write an avenue, a square or an estate. KRS repeats the name of a village without streets as
-- its street.
create or replace function registry.address_meaning(line text) returns text
language sql stable parallel safe
return regexp_replace(
    regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(registry.fold(line), '^(ul\.|ul |ulica )\s*', ''),
                    '^(aleje |aleja |al\.)\s*',
                    'al '
                ),
                '^(plac |pl\.)\s*',
                'pl '
            ),
            '^(osiedle |os\.)\s*',
            'os '
        ),
        '^(.+) ((dz(\.|ialka)? ?)?(nr ?)?[0-9][^,]*, ([0-9]{2}-[0-9]{3} )?)\1(,|$)',
        '\2\1\7'
    ),
    '\s+',
    '',
    'g'
);

-- What an event says of a company, the same for all registries: without case, accents, quotation marks
-- and the ways to write a street, a telephone number or an address on the web. The old value counts
-- where there is no new one; when a company is reopened, no value counts.
create or replace function registry.event_meaning(
    event_type text,
    old_value text,
    new_value text
) returns text
language sql stable parallel safe
return case
    when event_type = 'COMPANY_REOPENED' then ''
    when event_type like 'COMPANY\_ADDRESS\_%'
        then registry.address_meaning(coalesce(new_value, old_value))
    when event_type like 'COMPANY\_PHONE\_%' or event_type like 'COMPANY\_FAX\_%'
        then regexp_replace(
            regexp_replace(coalesce(new_value, old_value), '[^0-9A-Za-z]', '', 'g'),
            '^(00)?48(?=[0-9]{9}$)',
            ''
        )
    when event_type like 'COMPANY\_WEBSITE\_%' then regexp_replace(
        registry.lower(coalesce(new_value, old_value)), '^https?://|/$', '', 'g'
    )
    else translate(
        regexp_replace(registry.fold(coalesce(new_value, old_value)), '\s+', ' ', 'g'),
        '"''„”«»',
        ''
    )
end;

-- Whether two events of one type tell the same change. A registry may tell of proceedings without a date.
create or replace function registry.is_same_change(
    event_type text,
    one_old_value text,
    one_new_value text,
    other_old_value text,
    other_new_value text
) returns boolean
language sql stable parallel safe
return coalesce(
    registry.event_meaning(event_type, one_old_value, one_new_value)
    = registry.event_meaning(event_type, other_old_value, other_new_value),
    false
)
or (
    event_type ~ '^COMPANY_(BANKRUPTCY|RESTRUCTURING)_'
    and (one_new_value is null or other_new_value is null)
);
