-- The newest event of each kind against the entry: what was told last is what the entry says.
with told as (
    -- A later event of another kind may have changed the value again.
    select
        event.*,
        kind.name as kind,
        row_number() over (
            partition by
                event.entry_id,
                kind.name,
                case when kind.name = 'activity' then coalesce(event.old_value, event.new_value) end
            order by event.event_date desc, event.event_id desc
        ) as age,
        max(event.event_date) filter (where event.event_type = 'COMPANY_REOPENED')
            over (partition by event.entry_id) as reopened_date,
        max(event.event_date) filter (where event.event_type = 'COMPANY_ACTIVITIES_RECLASSIFIED')
            over (partition by event.entry_id) as reclassified_date
    from registry.event
    cross join lateral (
        select case
            when event.event_type in ('COMPANY_SUSPENDED', 'COMPANY_RESUMED') then 'status'
            when event.event_type in ('COMPANY_ACTIVITY_ADDED', 'COMPANY_ACTIVITY_REMOVED')
                then 'activity'
            when event.event_type in ('ANOMALY_REGON_CHANGE', 'COMPANY_REGON_ASSIGNED')
                then 'regon'
            else regexp_replace(
                event.event_type, '_(ADDED|CHANGED|REMOVED|ASSIGNED|REVOKED)$', ''
            )
        end as name
    ) as kind
    where event.source = $1::text
),

compared as (
    select
        told.*,
        case told.kind
            when 'status' then case told.event_type
                when 'COMPANY_SUSPENDED' then entry.declared_status = 'SUSPENDED'
                else entry.declared_status = 'ACTIVE'
            end
            or entry.status = 'DELETED'
            or told.reopened_date >= told.event_date
            when 'COMPANY_CLOSED_DATE' then
                entry.end_date::text = told.new_value
                or told.reopened_date > told.event_date
            when 'COMPANY_STRUCK_OFF' then
                entry.gone_date::text = told.new_value
                or told.reopened_date > told.event_date
            when 'activity' then
                (told.new_value is not null)
                = (coalesce(told.new_value, told.old_value) = any(entry.activity_codes))
                or told.reclassified_date > told.event_date
            when 'COMPANY_MAIN_ACTIVITY' then
                entry.activity_main is not distinct from told.new_value
                or told.reclassified_date > told.event_date
            when 'COMPANY_NAME' then entry.name is not distinct from told.new_value
            when 'COMPANY_LEGAL_FORM' then entry.legal_form is not distinct from told.new_value
            when 'COMPANY_ENTITY_TYPE' then entry.entity_type = told.new_value
            when 'COMPANY_OWNER' then
                nullif(concat_ws(' ', entry.first_name, entry.surname), '')
                is not distinct from told.new_value
            when 'COMPANY_START_DATE_CHANGE' then
                entry.start_date::text is not distinct from told.new_value
            when 'COMPANY_TAX_IDENTITY' then entry.nip is not distinct from told.new_value
            when 'regon' then entry.regon9 is not distinct from told.new_value
            when 'COMPANY_REGISTRY_NUMBER' then entry.krs is not distinct from told.new_value
            when 'COMPANY_ADDRESS' then
                registry.address_line(
                    entry.street, entry.building, entry.apartment, entry.postal_code,
                    entry.city, entry.voivodeship
                ) is not distinct from told.new_value
            when 'COMPANY_PHONE' then entry.phone is not distinct from told.new_value
            when 'COMPANY_EMAIL' then entry.email is not distinct from told.new_value
            when 'COMPANY_FAX' then entry.fax is not distinct from told.new_value
            when 'COMPANY_WEBSITE' then entry.website is not distinct from told.new_value
            else true
        end as agrees
    from told
    left join registry.entry
        on entry.company_id = told.company_id
        and entry.entry_id = told.entry_id
    where told.age = 1
)

select format(
    'event %s, %s of %s, says ''%s''; the entry %s does not',
    compared.event_id,
    compared.event_type,
    compared.event_date,
    compared.new_value,
    compared.entry_id
) as finding
from compared
where compared.agrees is not true
order by compared.event_id
limit 100;
