-- The newest event of each kind against the entry: the entry has the new value of the event. A
-- corroboration of another registry's event counts as an event.
with said as (
    select
        event.company_id,
        event.entry_id,
        event.event_id,
        event.event_date,
        event.event_type,
        event.old_value,
        event.new_value
    from registry.event
    where event.source = $1::text
    union all
    select
        corroboration.company_id,
        corroboration.entry_id,
        corroboration.event_id,
        corroboration.event_date,
        event.event_type,
        corroboration.old_value,
        corroboration.new_value
    from registry.corroboration
    join registry.event using (company_id, event_id)
    where corroboration.source = $1
),

told as (
    -- A later event of another kind may have changed the value again.
    select
        event.*,
        kind.name as kind,
        row_number() over (
            partition by
                event.entry_id,
                kind.name,
                case kind.name
                    when 'activity' then coalesce(event.old_value, event.new_value)
                    -- Each unit by its number; of one without a number nothing is compared.
                    when 'unit' then left(coalesce(event.new_value, event.old_value), 14)
                end
            order by event.event_date desc, event.event_id desc
        ) as age,
        max(event.event_date) filter (where event.event_type = 'COMPANY_REOPENED')
            over (partition by event.entry_id) as reopened_date,
        max(event.event_date) filter (where event.event_type ~ '_ENDED$')
            over (partition by event.entry_id, kind.name) as ended_date,
        max(event.event_date) filter (where event.event_type = 'COMPANY_ACTIVITIES_RECLASSIFIED')
            over (partition by event.entry_id) as reclassified_date
    from said as event
    cross join lateral (
        select case
            when event.event_type in ('COMPANY_SUSPENDED', 'COMPANY_RESUMED') then 'status'
            when event.event_type in ('COMPANY_ACTIVITY_ADDED', 'COMPANY_ACTIVITY_REMOVED')
                then 'activity'
            when event.event_type in ('ANOMALY_REGON_CHANGE', 'COMPANY_REGON_ASSIGNED')
                then 'regon'
            when event.event_type like 'COMPANY\_UNIT\_%' then 'unit'
            else regexp_replace(
                event.event_type,
                '_(ADDED|CHANGED|REMOVED|ASSIGNED|REVOKED|STARTED|ENDED)$',
                ''
            )
        end as name
    ) as kind
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
                or entry.struck_off_date is not null
                or told.reopened_date > told.event_date
            when proceeding.kind then case
                -- Its date may have been learnt later.
                when told.event_type like '%\_STARTED' then
                    proceeding.state is not null
                    and coalesce(
                        proceeding.start_date::text = told.new_value, told.new_value is null
                    )
                else coalesce(
                    proceeding.end_date::text = told.new_value, told.new_value is null
                )
            end
            -- A registry shows one that has ended no longer, sooner or later.
            or (told.ended_date >= told.event_date and proceeding.state is null)
            when 'unit' then
                left(coalesce(told.new_value, told.old_value), 14) !~ '^[0-9]{14}$'
                or told.new_value is not distinct from (
                    select min(registry.unit_line(unit.value))
                    from jsonb_array_elements(entry.units) as unit
                    where
                        unit.value ->> 'identifier'
                        = left(coalesce(told.new_value, told.old_value), 14)
                        and not registry.is_unit_closed(unit.value)
                )
            when 'activity' then
                (told.new_value is not null)
                = (
                    coalesce(told.new_value, told.old_value)
                    = any(string_to_array(entry.activity_codes, ','))
                )
                or told.reclassified_date > told.event_date
                -- A code removed with a reclassification is of the old version; the same symbol may be a
                -- code of the new one.
                or told.new_value is null and told.reclassified_date = told.event_date
            when 'COMPANY_MAIN_ACTIVITY' then
                entry.activity_main is not distinct from told.new_value
                or told.reclassified_date > told.event_date
            else case told.kind
                when 'COMPANY_NAME' then entry.name
                when 'COMPANY_LEGAL_FORM' then registry.legal_form_slug(entry.legal_form)
                when 'COMPANY_ENTITY_TYPE' then entry.entity_type
                when 'COMPANY_OWNER' then
                    registry.owner_names(entry.first_name, entry.surname, entry.persons)
                when 'COMPANY_SHAREHOLDERS' then registry.shareholder_names(entry.persons)
                when 'COMPANY_REPRESENTATION' then registry.representative_names(entry.persons)
                when 'COMPANY_START_DATE_CHANGE' then entry.start_date::text
                when 'COMPANY_TAX_IDENTITY' then entry.nip
                when 'regon' then entry.regon9
                when 'COMPANY_REGISTRY_NUMBER' then entry.krs
                when 'COMPANY_ADDRESS' then registry.address_line(
                    entry.street, entry.building, entry.apartment, entry.postal_code, entry.city,
                    registry.voivodeship_name(entry.voivodeship)
                )
                when 'COMPANY_PHONE' then entry.phone
                when 'COMPANY_EMAIL' then entry.email
                when 'COMPANY_FAX' then entry.fax
                when 'COMPANY_WEBSITE' then entry.website
                else told.new_value
            end is not distinct from told.new_value
        end as agrees
    from told
    left join registry.entry
        on entry.company_id = told.company_id
        and entry.entry_id = told.entry_id
    left join lateral (
        values
        (
            'COMPANY_BANKRUPTCY', entry.bankruptcy_state, entry.bankruptcy_start_date,
            entry.bankruptcy_end_date
        ),
        (
            'COMPANY_RESTRUCTURING', entry.restructuring_state, entry.restructuring_start_date,
            entry.restructuring_end_date
        )
    ) as proceeding (kind, state, start_date, end_date) on proceeding.kind = told.kind
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
where
    compared.agrees is not true
    -- Entries of one company that change alike make one event.
    and not exists (
        select from told
        where
            told.company_id = compared.company_id
            and told.entry_id <> compared.entry_id
            and told.event_date > compared.event_date
            and told.kind = compared.kind
            and (
                told.kind not in ('activity', 'unit')
                or coalesce(told.new_value, told.old_value)
                = coalesce(compared.new_value, compared.old_value)
            )
    )
order by compared.event_id
limit 100;
