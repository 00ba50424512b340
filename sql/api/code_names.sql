-- Returns one row per name that a snapshot shows: of an activity, a legal form, a region or an attribute's value. The
-- key is the country or version, for an attribute also the type, and the code. Where a classification has no names of
-- divisions, groups and classes, a part with one code has the name of that code.
select 'activity' as kind, version || ' ' || code as key, name, null as name_en
from registry.activity_code
union all
select 'activity', version || ' ' || code, name, null
from registry.activity_group
union all
select
    'activity',
    part.version || ' ' || part.code,
    case
        when count(*) = 1 then min(part.name)
        else replace(word.text, '{code}', regexp_replace(part.code, '^(..)(.)', '\1.\2'))
    end,
    null
from registry.activity_scheme as scheme
join registry.country using (country_code)
cross join (values (2, 'division'), (3, 'group'), (4, 'class')) as level (length, kind)
join registry.country_word as word
    on word.country_code = scheme.country_code
    and word.language = country.language
    and word.word = level.kind
cross join lateral (
    select version, left(code, level.length) as code, name
    from registry.activity_code
    where activity_code.version = scheme.version
) as part
where not exists (
    select from registry.activity_group where activity_group.version = scheme.version
)
group by part.version, part.code, word.text
union all
select 'legal form', country_code || ' ' || symbol, label, label_en
from registry.legal_form_symbol
union all
select 'region', country_code || ' ' || code, name, null
from registry.region
union all
select 'attribute', concat_ws(' ', country_code, attribute_type, code), label, label_en
from registry.attribute_value
union all
select 'attribute', concat_ws(' ', country_code, attribute_type, named.code), named.name, named.name_en
from registry.attribute_type as type
cross join lateral (
    select symbol as code, label as name, label_en as name_en
    from registry.legal_form_symbol
    where type.column_name = 'legal_form' and legal_form_symbol.country_code = type.country_code
    union all
    select activity_code.code, activity_code.name, null
    from registry.activity_scheme
    join registry.activity_code using (version)
    where type.column_name = 'announced_activity' and activity_scheme.country_code = type.country_code
) as named
