-- Notes activity codes with the label of another classification, unknown legal forms, unknown countries of head
-- offices, and impossible days of establishments.
insert into stage.notice (subject, value, row_count)
select
    'activity of another classification',
    concat_ws(' ', record.nomenclature_activite_principale, record.activite_principale),
    count(*)
from stage.record
join registry.activity_scheme
    on activity_scheme.scheme = record.nomenclature_activite_principale
    and activity_scheme.country_code = 'FR'
join registry.activity_code
    on activity_code.code = translate(record.activite_principale, '.', '')
    and activity_code.version in (2008, 2026)
    and activity_code.version <> activity_scheme.version
group by 2
union all
select 'legal form', record.categorie_juridique, count(*)
from stage.record
where
    not exists (
        select from registry.legal_form
        where legal_form.country_code = 'FR' and legal_form.symbol = record.categorie_juridique
    )
    and registry.text_fr(record.categorie_juridique) is not null
group by record.categorie_juridique
union all
select
    'country',
    coalesce(record.details #>> '{0,code_pays_etranger}', 'of ' || (record.details #>> '{0,libelle_commune_etranger}')),
    count(*)
from stage.record
where registry.country_fr(record.details -> 0) = ''
group by 2
union all
select 'date', format('establishment %s %s', dated.name, dated.value), count(*)
from stage.record
cross join lateral jsonb_array_elements(record.details) as detail
cross join lateral jsonb_each_text(detail.value) as dated (name, value)
where
    record.details @? '$[*] ? (
        @.date_debut < "18" || @.date_debut > "22" || @.date_creation < "18" || @.date_creation > "22"
    )'
    and dated.name in ('date_creation', 'date_debut')
    and registry.calendar_day(dated.value) is null
    and dated.value <> '[ND]'
group by 2;

-- Lists closed establishments whose owners withhold data, to erase events about them; a first snapshot has no events.
insert into stage.withheld_unit (entry_key, unit_number)
select record.siren, unit.number
from stage.record
cross join lateral string_to_table(record.withheld_units, ' ') as unit (number)
where record.withheld_units <> '' and not (select night.is_baseline from stage.night);
