"""Company registry: the dumps of the inbox every morning, then a look at what is published."""

import pendulum
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG

with DAG(
    dag_id="company_registry",
    schedule="30 7 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Warsaw"),
    catchup=False,
    max_active_runs=1,
) as dag:
    # The exit code 5 means that no new dump was there. A refused dump (3) is not retried: a person must decide.
    nightly = BashOperator(
        task_id="nightly",
        bash_command="cd /srv/company-registry && node pipeline/registry.js nightly --json",
        skip_on_exit_code=5,
    )
    check = BashOperator(
        task_id="check",
        bash_command="cd /srv/company-registry && node pipeline/registry.js check --max-age 2",
        trigger_rule="all_done",
    )
    # The last task decides the state of Airflow's run: a failed night makes the run fail.
    done = EmptyOperator(task_id="done", trigger_rule="none_failed")
    nightly >> check >> done
    nightly >> done
