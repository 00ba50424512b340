-- What the records say, in the terms of every source; records that cannot be meant are rejected.

-- One row per staged record. A record with a reason is rejected.
create unlogged table stage.entry as
select
    mapped.file_no,
    mapped.line,
    mapped.fingerprint,
    mapped.entry_key,
    mapped.nip,
    mapped.regon9,
    mapped.krs,
    mapped.entity_type,
    mapped.legal_form,
    mapped.name,
    mapped.surname,
    mapped.first_name,
    mapped.phone,
    mapped.email,
    mapped.fax,
    mapped.website,
    mapped.postal_code,
    mapped.county,
    mapped.commune,
    mapped.city,
    mapped.street,
    mapped.building,
    mapped.apartment,
    mapped.voivodeship,
    version.activity_version,
    mapped.activity_main,
    mapped.activity_codes,
    mapped.declared_status,
    mapped.is_partnership_only,
    day.start_date,
    day.end_date,
    day.suspension_date,
    day.resumption_date,
    registry.status_on(night.dump_date, mapped.declared_status, day.end_date, null) as status,
    registry.content_hash(
        mapped.nip, mapped.regon9, mapped.krs, mapped.entity_type, mapped.legal_form, mapped.name,
        mapped.surname, mapped.first_name, mapped.phone, mapped.email, mapped.fax, mapped.website,
        mapped.postal_code, mapped.county, mapped.commune, mapped.city, mapped.street,
        mapped.building, mapped.apartment, mapped.voivodeship, version.activity_version,
        mapped.activity_main, mapped.activity_codes, mapped.declared_status,
        mapped.is_partnership_only, day.start_date, day.end_date, day.suspension_date,
        day.resumption_date
    ) as content_hash,
    case
        when mapped.nip is not null and not registry.is_nip(mapped.nip)
            then format('the NIP ''%s'' is not valid', mapped.nip)
        when mapped.regon9 is not null and not registry.is_regon9(mapped.regon9)
            then format('the REGON ''%s'' is not valid', mapped.regon9)
        when mapped.krs is not null and not registry.is_krs(mapped.krs)
            then format('the KRS number ''%s'' is not valid', mapped.krs)
        when coalesce(mapped.name, mapped.surname, mapped.first_name) is null
            then 'all names are blank'
        when mapped.declared_status is null
            then format('the status ''%s'' is not known', coalesce(mapped.status_text, ''))
        when mapped.start_date is not null and day.start_date is null
            then format('the start date ''%s'' is not a date', mapped.start_date)
        when mapped.end_date is not null and day.end_date is null
            then format('the end date ''%s'' is not a date', mapped.end_date)
        when mapped.suspension_date is not null and day.suspension_date is null
            then format('the suspension date ''%s'' is not a date', mapped.suspension_date)
        when mapped.resumption_date is not null and day.resumption_date is null
            then format('the resumption date ''%s'' is not a date', mapped.resumption_date)
        when mapped.activity_version is not null and version.activity_version is null
            then format('the activity version ''%s'' is not a year', mapped.activity_version)
    end as reason,
    false as is_repeat
from stage.mapped
cross join stage.night
cross join lateral (
    select
        registry.parse_date(mapped.start_date) as start_date,
        registry.parse_date(mapped.end_date) as end_date,
        registry.parse_date(mapped.suspension_date) as suspension_date,
        registry.parse_date(mapped.resumption_date) as resumption_date
) as day
cross join lateral (
    select case
        when mapped.activity_version ~ '^(19|20)[0-9]{2}$' then mapped.activity_version::smallint
    end as activity_version
) as version;

-- The same entry twice: rows that say the same count once, the one that was published being kept;
-- of rows that contradict each other none is believed.
with repeated_key as (
    select entry.entry_key
    from stage.entry
    where entry.reason is null
    group by entry.entry_key
    having count(*) > 1
),

ranked as (
    select
        entry.ctid as entry_ctid,
        min(entry.content_hash) over same_key <> max(entry.content_hash) over same_key
            as is_contradicted,
        row_number() over (
            partition by entry.entry_key
            order by
                (entry.fingerprint is not distinct from entry_key.fingerprint) desc,
                entry.file_no,
                entry.line
        ) as rank
    from stage.entry
    join repeated_key using (entry_key)
    cross join stage.night
    left join registry.entry_key
        on entry_key.source = night.source
        and entry_key.entry_key = entry.entry_key
    where entry.reason is null
    window same_key as (partition by entry.entry_key)
)

update stage.entry
set
    reason = case
        when ranked.is_contradicted then 'contradicts another row of the same entry'
        else 'repeats another row of the same entry'
    end,
    is_repeat = not ranked.is_contradicted
from ranked
where
    entry.ctid = ranked.entry_ctid
    and (ranked.is_contradicted or ranked.rank > 1);

-- Against a record that was dropped unread because it is yesterday's: a row that says the same in
-- another spelling repeats it.
update stage.entry
set
    reason = 'repeats another row of the same entry',
    is_repeat = true
from registry.entry_key
cross join stage.night
where
    not night.is_full_read
    and entry.reason is null
    and entry_key.source = night.source
    and entry_key.entry_key = entry.entry_key
    and entry_key.content_hash = entry.content_hash
    and not entry_key.is_gone
    and entry_key.fingerprint is not null
    and not exists (
        select from stage.unmet
        where unmet.fingerprint = entry_key.fingerprint
    );

insert into stage.reject (file_no, line, reason, raw, is_repeat, entry_key)
select
    entry.file_no,
    entry.line,
    entry.reason,
    left(record.raw, 4000),
    entry.is_repeat,
    entry.entry_key
from stage.entry
join stage.record using (file_no, line)
where entry.reason is not null;

analyze stage.entry;

-- A row that contradicts one that was dropped unread: both have to be read to be rejected.
select count(*)::integer as contradictions
from stage.entry
cross join stage.night
join registry.entry_key
    on entry_key.source = night.source
    and entry_key.entry_key = entry.entry_key
where
    not night.is_full_read
    and entry.reason is null
    and not entry_key.is_gone
    and entry_key.fingerprint is not null
    and not exists (
        select from stage.unmet
        where unmet.fingerprint = entry_key.fingerprint
    );
