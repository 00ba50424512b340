-- Makes one document from each extract of KRS, with values from dictionaries and from the known entry.

-- Returns whether a company's extract is older than another extract of the company. The extract with the lower
-- `entry_no` (number of its newest register entry) is older; at equal numbers, that with the earlier state day. RejP
-- and RejS number entries independently, so between them, an extract with a later state day is never older.
create function stage.is_older(
    register text,
    entry_no integer,
    state_day date,
    other_register text,
    other_entry_no integer,
    other_state_day date
) returns boolean
language sql immutable
return case
    when entry_no < other_entry_no
        then coalesce(register = other_register, true) or state_day > other_state_day is not true
    when entry_no > other_entry_no then false
    else coalesce(state_day < other_state_day, false)
end;

-- Holds one row per extract in the dump.
create unlogged table stage.krs_extract as
select answer.file_no, answer.line, answer.raw, extract.*
from stage.answer
cross join lateral jsonb_to_record(answer.answer) as extract (
    krs text, form text, register text, state_day date, made_day date, entry_no integer,
    last_entry_day date, content jsonb, content_hash text
)
where answer.answer ->> 'kind' = 'extract';

create index on stage.krs_extract (krs);

-- Deletes superseded extracts, so that at most one extract per company is left. The run notes the deleted extracts. An
-- extract is superseded by a newer known entry, by a newer extract of the company in the dump, or by a later end of the
-- company. Of a company's extracts from RejP and RejS, the one without a strike-off is kept, else the one from RejP.
with older as (
    delete from stage.krs_extract as extract
    where
        exists (
            select from registry.entry as known
            where
                known.source = 'krs'
                and known.entry_key = extract.krs
                and (
                    stage.is_older(
                        extract.register, extract.entry_no, extract.state_day,
                        known.version_register, known.version_no, known.version_date
                    )
                    or greatest(extract.state_day, extract.made_day) < known.gone_date
                    or (
                        extract.content ? 'struck_off_day'
                        and extract.register <> known.version_register
                        and known.status <> 'DELETED'
                    )
                )
        )
        or exists (
            select from stage.krs_extract as other
            where
                other.krs = extract.krs
                and case
                    when other.register <> extract.register then
                        (extract.content ? 'struck_off_day', extract.register)
                        > (other.content ? 'struck_off_day', other.register)
                    else stage.is_older(
                        extract.register, extract.entry_no, extract.state_day,
                        other.register, other.entry_no, other.state_day
                    )
                end
        )
    returning *
)

insert into stage.notice (subject, value)
select
    case
        when
            older.register <> known.version_register
            or exists (
                select from stage.krs_extract as other
                where other.krs = older.krs and other.register <> older.register
            )
            then 'extract of another register'
        else 'older extract'
    end,
    concat_ws(', ', older.krs, 'entry ' || older.entry_no, 'state of ' || older.state_day)
from older
left join registry.entry as known
    on known.source = 'krs'
    and known.entry_key = older.krs;

-- Rejects an extract whose state day is after the day of publication. Also rejects a company's current extract if the
-- dump has a full extract with the same content. A state day after the day of the dump is accepted.
insert into stage.reject (file_no, line, reject_code, reason, raw, entry_key)
select
    extract.file_no,
    extract.line,
    case when extract.repeats then 'repetition' else 'invalid_date' end,
    case
        when extract.repeats then 'repeats another row of the same entry'
        else format('the state of %s is in the future', extract.state_day)
    end,
    extract.raw, extract.krs
from (
    select
        *,
        form = 'current'
        and bool_or(form = 'full') over (partition by krs, content_hash) as repeats
    from stage.krs_extract
) as extract
cross join stage.night
where
    extract.repeats
    or extract.state_day > (night.published_at at time zone 'Europe/Warsaw')::date;

delete from stage.krs_extract as extract
using stage.reject
where reject.file_no = extract.file_no and reject.line = extract.line;

analyze stage.krs_extract;

-- Holds one row per activity in an extract of KRS. The column `code` is a PKD code such as 4312Z, or null if KRS states
-- no valid code. Activities from old register entries have shorter codes: a division, group or class (43, 431, 4312).
-- The column `entry_day` is the day of the register entry that added the activity; only full extracts state this day.
create unlogged table stage.krs_activity as
select
    extract.file_no, extract.line, list.place, activity.rank,
    concat_ws('.', part."kodDzial", part."kodKlasa", registry.upper(part."kodPodklasa")) as written,
    substring(
        concat(part."kodDzial", part."kodKlasa", registry.upper(part."kodPodklasa"))
        from '^[0-9]{2}(?:[0-9]|[0-9]{2}[A-Z]?)?$'
    ) as code,
    translate(registry.upper(part.opis), ' ,;.:-()', '') as name,
    part.entry_day
from stage.krs_extract as extract
cross join (
    values
    (1, '$.przedmiotDzialalnosci.przedmiotPrzewazajacejDzialalnosci[*]'::jsonpath),
    (2, '$.przedmiotDzialalnosci.przedmiotPozostalejDzialalnosci[*]'),
    (3, '$.przedmiotDzialalnosciOPP.odplatnyPkd[*]'),
    (4, '$.przedmiotDzialalnosciOPP.nieodplatnyPkd[*]')
) as list (place, path)
cross join lateral jsonb_path_query(
    extract.content #> '{sections,dzial3}', list.path
) with ordinality as activity (item, rank)
cross join lateral jsonb_to_record(activity.item) as part (
    "kodDzial" text, "kodKlasa" text, "kodPodklasa" text, opis text, entry_day text
);

create index on stage.krs_activity (file_no, line);
analyze stage.krs_activity;

-- Writes one document for each extract. KRS does not state whether activity codes are of PKD 2007 or PKD 2025, so the
-- query chooses the version. The version that contains more of the company's codes takes precedence, then the version
-- that contains more of their names. If both versions fit equally, the version of the known entry applies, so that no
-- reclassification is published. Without a known entry, PKD 2025 applies if the newest activity was registered in 2025
-- or later.
insert into stage.document (file_no, line, entry_key_hint, document, raw)
-- Holds one row per spelling of a legal form in KRS, in capitals: the label or the name in `registry.legal_form`. KRS
-- may write the word 'lub' ("or") in a legal form as a slash.
with legal_form as (
    select distinct on (written)
        translate(registry.upper(spelling.text), ' -', '') as written,
        legal_form_symbol.symbol
    from registry.legal_form
    join registry.legal_form_symbol using (country_code, slug)
    cross join lateral (
        values
        (1, legal_form.label),
        (2, legal_form.name),
        (3, replace(legal_form.label, ' lub ', ' / '))
    ) as spelling (rank, text)
    where legal_form.country_code = 'PL'
    order by written, spelling.rank, slug collate "C"
)

select
    extract.file_no, extract.line, extract.krs,
    extract.content || jsonb_build_object(
        -- A NIP or REGON that consists of zeros means that the company has no such number.
        'nip', nullif(translate(part.identity #>> '{identyfikatory,nip}', '- ', ''), '0000000000'),
        'regon9', nullif(left(translate(part.identity #>> '{identyfikatory,regon}', '- ', ''), 9), '000000000'),
        'legal_form', legal_form.symbol,
        'register', extract.register,
        'state_day', extract.state_day,
        'entry_no', extract.entry_no,
        'last_entry_day', case
            when
                extract.entry_no = known.version_no + 1
                and extract.register is not distinct from known.version_register
                then extract.last_entry_day
        end,
        'activity_version', activity.version,
        'activity_main', activity.main,
        'activity_codes', coalesce(activity.codes, '')
    ),
    extract.raw
from stage.krs_extract as extract
cross join lateral (
    select extract.content #> '{sections,dzial1,danePodmiotu}' as identity
) as part
left join registry.entry as known
    on known.source = 'krs'
    and known.entry_key = extract.krs
left join legal_form
    on legal_form.written = translate(registry.upper(part.identity ->> 'formaPrawna'), ' -', '')
left join lateral (
    select
        (array_agg(activity.code order by activity.rank) filter (where activity.place = 1))[1]
            as main,
        string_agg(activity.code, ',' order by activity.place, activity.rank) as codes,
        (
            select version.version
            from (values (2007::smallint), (2025::smallint)) as version (version)
            left join (stage.krs_activity as written join registry.activity_code using (code))
                on activity_code.version = version.version
                and written.file_no = extract.file_no
                and written.line = extract.line
            group by version.version
            order by
                count(activity_code.version) desc,
                count(*) filter (
                    where
                        translate(registry.upper(activity_code.name), ' ,;.:-()', '')
                        = written.name
                ) desc,
                coalesce(version.version = known.activity_version, false) desc,
                (version.version = 2025) = (
                    coalesce(max(activity.entry_day), extract.content ->> 'registered_day', '')
                    >= '2025-01-01'
                ) desc
            limit 1
        ) as version
    from (
        select distinct on (activity.code)
            activity.code, activity.place, activity.rank, activity.entry_day
        from stage.krs_activity as activity
        where
            activity.file_no = extract.file_no
            and activity.line = extract.line
            and activity.code is not null
        order by activity.code, activity.place, activity.rank
    ) as activity
    having count(*) > 0
) as activity on true;
