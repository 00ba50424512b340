-- What each view of `analyst` and each of its columns means. The data dictionary of sql/README.md is
-- made from these comments.

-- One row per view and column; of the view itself column_name is null.
create temporary table analyst_comment (
    view_name text not null,
    column_name text,
    comment text not null
) on commit drop;

\copy analyst_comment from 'analyst_comment.csv'

do $$
declare
    line record;
begin
    for line in select * from analyst_comment loop
        execute format(
            'comment on %s analyst.%I%s is %L',
            case when line.column_name is null then 'view' else 'column' end,
            line.view_name,
            '.' || quote_ident(line.column_name),
            line.comment
        );
    end loop;
end;
$$;
