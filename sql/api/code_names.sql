-- Returns one row per name that a profile shows for a code: of an activity, a legal form, a region or an attribute.
-- `key` consists of the country or the version of the classification, the type if the code is an attribute's, and the
-- code. If a classification names only single codes, a division, group or class of only one code gets that code's name.
select 'activity' as kind, version || ' ' || code as key, name, null as name_en
from registry.activity_code
union all
select 'activity', version || ' ' || code, name, null
from registry.activity_group
union all
select
    'activity',
    version || ' ' || part.code,
    case
        when count(*) = 1 then min(activity_code.name)
        else replace(word.text, '{code}', regexp_replace(part.code, '^(..)(.)', '\1.\2'))
    end,
    null
from registry.activity_scheme
join registry.activity_code using (version)
join registry.country using (country_code)
cross join (values (2, 'division'), (3, 'group'), (4, 'class')) as level (length, kind)
cross join lateral left(activity_code.code, level.length) as part (code)
join registry.country_word as word using (country_code, language)
where
    word.word = level.kind
    and version not in (select activity_group.version from registry.activity_group)
group by version, part.code, word.text
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
select 'attribute', concat_ws(' ', country_code, attribute_type, symbol), form.label, form.label_en
from registry.attribute_type
join registry.legal_form_symbol as form using (country_code)
where column_name = 'legal_form'
union all
select 'attribute', concat_ws(' ', country_code, attribute_type, code), activity_code.name, null
from registry.attribute_type
join registry.activity_scheme using (country_code)
join registry.activity_code using (version)
where column_name = 'announced_activity'
