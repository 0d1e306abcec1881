"""The tables of faults and attacks, line by line: what each is, and which tests prove what is expected.

L is the way of messages, D texts and places, F the file system, T the store, E the endpoint of a model, S attacks.
Soaks name the lines that they cover themselves (`tests.soak.rows`). A line without a soak has tests; what neither
tries stands in ``not_tried`` and on the page.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A line of the tables."""

    what: str
    tests: tuple[str, ...] = ()
    """``file.py::test`` below ``tests``."""
    extension: tuple[str, ...] = ()
    """Files of tests of the extension, below ``vscode-extension``."""
    control: str = ""
    """What shows that these tests can fail, where it is no soak's control."""
    not_tried: str = ""


_PROCESS = "lsp/test_lsp_process.py::test_"
_ENDPOINT = "lsp/test_lsp_request_handler.py::test_"
_REQUESTS = "lsp/test_lsp_requests.py::test_"
_TEXTS = "lsp/test_lsp_open_documents.py::test_"
_OPENING = "corpus/test_safe_open.py::test_"
_WALK = "corpus/test_walk.py::test_"
_BAD = "cli/test_bad_input.py::test_"
_STORE = "memory/test_store.py::test_"
_PLACE = "memory/test_store_file.py::test_"
_CLUSTERS = "memory/test_clusters.py::test_"
_MEMORY = "app/test_question_memory.py::test_"
_ASK = "cli/test_ask_settings.py::test_"
_CHAT = "judge/llm/test_chat_oracle.py::test_"
_OPENAI = "judge/llm/test_openai_client.py::test_"
_FAULTS = "judge/llm/test_chat_faults.py::test_"
_TLS = "judge/llm/test_endpoint_guard.py::test_"
_WORKER = "documents/test_worker.py::test_"
_MODEL = "app/test_settings.py::test_"
_FILES = "app/test_configuration.py::test_"
_GUARD = "desktop/test_desktop_guard.py::test_"
_DOOR = "desktop/test_desktop_guard.py::test_"
_PREFERENCES = "desktop/test_desktop_settings.py::test_"
_REDACTION = "judge/test_redaction.py::test_"
_MARKING = "judge/test_answer_markdown.py::test_"
_HOSTILE = "cli/test_hostile_folders.py::test_"
_STARTED = "cli/test_nothing_else_runs.py::test_"


def of(file: str, *names: str) -> tuple[str, ...]:
    """Several tests of one file."""
    return tuple(file + name for name in names)


MESSAGES = {
    "L01": Fault("the client is killed"),
    "L02": Fault(
        "the five ways to end",
        of(
            _PROCESS,
            "exit_without_shutdown_is_1",
            "shutdown_and_exit_is_0_even_if_nobody_waits_in_between",
            "sigterm_is_0_after_the_answers_that_are_ready",
            "the_end_of_standard_input_is_3_and_0_after_shutdown",
            "a_client_that_closes_our_output_is_1",
        ),
        control="bare pygls ends with 0 without a shutdown: test_exit_without_shutdown_is_1 in test_pygls_contract.py",
    ),
    "L03": Fault(
        "framing that is broken",
        of(_PROCESS, "broken_framing_is_one_line_and_4", "other_spellings_of_the_header_are_understood"),
    ),
    "L04": Fault(
        "JSON that is no message",
        of(
            _REQUESTS,
            "a_body_without_a_usable_id_is_refused_with_none",
            "a_message_of_another_kind_is_refused_with_its_id",
            "an_id_in_use_is_refused",
        ),
    ),
    "L05": Fault(
        "wrong params, unknown methods",
        of(_REQUESTS, "every_method_is_answered_whatever_its_params", "an_unknown_method_is_refused"),
    ),
    "L06": Fault("a message of a gigabyte", of(_PROCESS, "a_message_that_is_too_large_is_drained_and_refused")),
    "L07": Fault("a flood of requests, events and changes"),
    "L08": Fault("a storm of cancels", of(_ENDPOINT, "a_cancelled_request_is_answered_once_when_it_has_ended")),
    "L09": Fault("fifty questions at once", ("lsp/test_lsp_workspace_pool.py::test_more_than_may_wait_are_refused",)),
    "L10": Fault(
        "a client that stops reading",
        of(
            _PROCESS,
            "a_client_that_stops_reading_does_not_stop_us_from_reading",
            "a_backlog_that_no_client_will_read_ends_the_server",
        ),
        control="the second test: a backlog beyond the bound does end the server",
    ),
    "L11": Fault(
        "requests out of turn",
        of(_REQUESTS, "nothing_but_initialize_comes_first", "nothing_comes_after_shutdown"),
        control="the same methods are answered in turn: test_every_method_is_answered_whatever_its_params",
    ),
    "L12": Fault(
        "a handler that fails",
        of(
            _ENDPOINT,
            "whatever_fails_in_whichever_handler_is_answered_and_survived",
            "whatever_fails_in_the_handler_of_a_notification_is_survived",
            "a_feature_that_fails_three_times_in_a_row_is_switched_off_and_said_so_once",
            "any_other_error_is_an_incident_without_its_contents",
        ),
        control="the harness sees the incident, and the third failure in a row is told",
    ),
    "L13": Fault(
        "the number of a dead client is another process's",
        ("lsp/test_lsp_process.py::test_a_process_is_known_by_its_number_and_when_it_began",),
        control="the same number with another beginning is another process",
    ),
}

TEXTS = {
    "D01": Fault(
        "unsaved edits",
        (
            "lsp/test_lsp_asking.py::test_unsaved_text_is_evidence_and_says_its_version",
            "app/test_pipeline.py::test_an_unsaved_edit_is_what_counts",
        ),
    ),
    "D02": Fault("edits of hostile texts", of(_TEXTS, "random_edits_leave_the_text_of_an_independent_reference")),
    "D03": Fault(
        "changes of what is not open, opened twice, versions that go back",
        (
            *of(
                _TEXTS,
                "versions_may_skip_and_must_not_stand_still",
                "a_change_of_what_is_not_open_is_ignored",
                "what_is_opened_twice_has_the_second_text",
            ),
            "lsp/test_lsp_asking.py::test_a_text_that_went_out_of_step_is_read_from_disk_until_it_comes_whole",
        ),
    ),
    "D04": Fault("a file changes during a question"),
    "D05": Fault(
        "changes that stat does not show",
        (
            "corpus/test_text_store.py::test_a_change_is_noticed_though_size_and_modification_time_are_the_same",
            "corpus/test_text_store.py::test_a_file_that_was_replaced_by_one_just_like_it_is_read_again",
            "corpus/test_text_store.py::test_a_file_written_just_before_it_was_read_is_read_again_though_nothing_shows_a_change",
        ),
    ),
    "D06": Fault(
        "twenty encodings", ("corpus/test_encoding.py::test_the_text_is_what_the_named_encoding_makes_of_the_bytes",)
    ),
    "D07": Fault("half surrogate pairs", of(_REQUESTS, "half_a_surrogate_pair_is_only_a_character")),
    "D08": Fault(
        "places in UTF-8, UTF-16 and UTF-32",
        (
            "lsp/test_lsp_navigation.py::test_spans_are_counted_as_the_client_does",
            *of(_TEXTS, "a_range_leads_back_to_its_span", "every_character_is_found_by_its_column"),
        ),
        control="a client that counts otherwise is off: the three encodings differ in the same texts",
    ),
    "D09": Fault(
        "names of bytes, and URIs that name no file of ours",
        ("lsp/test_lsp_locations.py::test_what_names_no_file_of_ours_is_refused",),
    ),
    "D10": Fault("passages that cross sheets, slides or mails, that cut cells, or whose place is not the match's"),
}

FILES = {
    "F01": Fault(
        "pipes, sockets, devices, links in circles",
        (
            *of(
                _WALK,
                "what_is_no_plain_file_is_skipped_with_its_reason",
                "a_device_is_irregular",
                "a_folder_that_is_bound_into_itself_ends",
            ),
            *of(_OPENING, "what_is_no_plain_file_is_skipped_with_its_reason", "a_device_is_irregular"),
            _BAD + "folders_that_link_to_each_other_end",
        ),
        control="plain files beside them are found in the same tests",
    ),
    "F02": Fault("links that lead outside, swapped while they are opened"),
    "F03": Fault(
        "very large texts",
        (
            _BAD + "a_large_text_is_searched_to_its_last_line",
            _BAD + "a_large_file_of_holes_is_binary",
            "search/test_corpus_view.py::test_how_many_texts_are_looked_into_at_once_changes_nothing",
            "search/test_corpus_view.py::test_a_search_of_a_large_text_ends_soon_after_it_is_cancelled",
            "corpus/test_text_store.py::test_a_scan_finds_the_same_with_little_memory_as_with_much",
            "corpus/test_text_store.py::test_texts_come_some_at_a_time_and_in_order",
        ),
        control="a query for words that the text does not hold finds nothing",
    ),
    "F04": Fault(
        "a hundred thousand files",
        of(_WALK, "many_files_under_many_ignore_files_are_walked_in_no_time"),
        control="the time is bounded in the test",
        not_tried="the full size is measured by `python -m benchmarks.scaling`",
    ),
    "F05": Fault(
        "binary under a text's name, a NUL anywhere",
        (
            "corpus/test_encoding.py::test_a_nul_anywhere_makes_it_binary",
            "corpus/test_encoding.py::test_binary_formats_are_binary_whatever_their_name",
            _BAD + "binary_under_a_text_name_is_skipped",
        ),
        control="the same text without the NUL is read",
    ),
    "F06": Fault(
        "files that may not be read, or are gone by then",
        (
            _BAD + "an_unreadable_file_is_named_and_spoils_nothing",
            _BAD + "an_unreadable_folder_is_named_and_spoils_nothing",
            _OPENING + "a_file_one_may_not_read_is_skipped_for_its_permission",
            "corpus/test_text_store.py::test_a_file_that_vanished_since_it_was_listed_is_reported",
        ),
    ),
    "F07": Fault(
        "a slow file system",
        (
            "lsp/test_lsp_workspace_pool.py::test_the_next_question_has_the_texts_to_itself",
            "app/test_pipeline.py::test_a_cancelled_task_ends_at_once",
        ),
        control="a task that is not cancelled goes on",
        not_tried="a real NFS or SMB server; a file system below another one that hangs; systems other than Linux",
    ),
    "F08": Fault(
        "no watches left, a queue that overflows",
        (
            "lsp/test_lsp_watching.py::test_the_limit_of_watches_is_told_once_and_drift_shows",
            "lsp/test_lsp_watching.py::test_a_lost_queue_is_told_once_and_drift_shows",
        ),
    ),
    "F09": Fault(
        "tens of thousands of files made at once",
        ("corpus/test_watch.py::test_more_changes_than_are_kept_leave_everything_in_doubt",),
    ),
    "F10": Fault(
        "a full disk",
        ("memory/test_store_faults.py::test_a_disk_that_is_really_full_refuses_a_save_and_takes_the_next",),
    ),
    "F11": Fault(
        "no place for a store",
        (
            "memory/test_store_file.py::test_without_a_home_there_is_no_store",
            "memory/test_store_file.py::test_a_file_where_the_folder_should_be_is_no_store",
            "memory/test_store_file.py::test_a_folder_where_the_file_should_be_is_no_store",
            "memory/test_store_file.py::test_a_read_only_folder_is_no_store",
            "app/test_question_memory.py::test_a_store_that_cannot_be_written_costs_no_answer",
        ),
        control="with a place there is one: test_a_workspace_has_a_folder_of_its_own_named_by_its_real_path",
    ),
    "F12": Fault("hardly a descriptor left", of(_WALK, "a_wide_and_deep_tree_is_walked_with_64_descriptors")),
}

STORE = {
    "T01": Fault("a writer is killed"),
    "T02": Fault(
        "a power cut, an operation of the disk that fails",
        ("memory/test_store_faults.py::test_after_a_failed_sync_nothing_more_is_written_until_the_next_start",),
    ),
    "T03": Fault("several servers on one store", of(_STORE, "threads_of_one_process_do_not_lose_each_other")),
    "T04": Fault("a damaged file", ("memory/test_store_damage.py::test_triggers_and_views_never_run",)),
    "T05": Fault(
        "a migration is killed; a newer file",
        ("memory/test_store_damage.py::test_a_newer_file_is_not_touched_and_one_beside_it_is_used",),
    ),
    "T06": Fault(
        "a clock that goes back or leaps",
        (
            *of(_CLUSTERS, "aging_is_monotone", "a_clock_that_went_back_ages_nothing"),
            "cli/test_leaping_clock.py::test_a_question_is_answered_and_reused_whatever_the_clock_says",
        ),
        control="the skewed program does see another year: test_the_clock_is_really_another",
    ),
    "T07": Fault(
        "a store on a network file system",
        of(
            _PLACE,
            "no_knowledge_is_kept_on_a_network_file_system",
            "local_file_systems_and_systems_that_do_not_say_are_good",
        ),
        control="the second test: on a local one knowledge is kept",
        not_tried="a real NFS or SMB server",
    ),
    "T08": Fault(
        "a folder that was moved, or is there twice",
        (
            "memory/test_checking.py::test_a_folder_that_was_moved_with_its_answers_stays_verified",
            _PLACE + "a_workspace_has_a_folder_of_its_own_named_by_its_real_path",
            _MEMORY + "an_answer_whose_quote_was_edited_is_searched_again",
        ),
    ),
    "T09": Fault(
        "hostile text that was stored",
        (
            _STORE + "forgetting_leaves_no_byte_anywhere_in_the_folder",
            _MEMORY + "a_stored_answer_is_made_inert_like_any_other",
        ),
    ),
}

ENDPOINT = {
    "E01": Fault(
        "no connection, no such host, wrong certificates",
        (
            _FAULTS + "a_refused_connection_says_what_to_start",
            *of(
                _TLS,
                "an_unknown_authority_an_old_certificate_and_another_name_do_not",
                "a_server_that_speaks_no_tls_is_told_so",
            ),
            "judge/llm/test_endpoint_guard.py::test_a_name_that_nobody_knows_is_told_from_a_server_that_is_down",
            "cli/test_ask_model.py::test_where_the_model_is_down_the_reader_judges_and_it_is_said_what_to_start",
        ),
        control="a certificate of a named authority holds: test_a_certificate_of_a_named_authority_holds",
    ),
    "E02": Fault(
        "a key that is not accepted",
        of(_FAULTS, "a_key_or_a_model_that_is_not_accepted_is_not_tried_again"),
        control="other refusals are tried again: test_a_refused_request_is_tried_again_and_is_no_call",
    ),
    "E03": Fault(
        "an endpoint that is busy",
        of(
            _CHAT,
            "waits_are_bounded_by_the_time_that_is_left",
            "an_endpoint_that_asks_to_wait_too_long_is_not_waited_for",
        ),
    ),
    "E04": Fault("drips, silence, half-open connections"),
    "E05": Fault("replies that are cut, too large, encoded, or none"),
    "E06": Fault("quotes, places and candidates that a model made up"),
    "E07": Fault("a model that never has enough"),
    "E08": Fault(
        "the budget ends midway",
        of(
            _CHAT,
            "wherever_the_calls_end_there_is_an_answer_and_none_over_the_limit",
            "wherever_the_tokens_end_there_is_an_answer_and_none_over_the_limit",
        ),
    ),
    "E09": Fault("an endpoint that fails at random, dies and returns"),
    "E10": Fault("a model that is the attacker"),
}

ATTACKS = {
    "S01": Fault(
        "a workspace that names an endpoint, a model, a key or a program",
        (
            *of(_ASK, "no_file_of_a_workspace_and_no_variable_of_others_names_an_endpoint"),
            *of(
                _FILES,
                "a_project_has_no_word_for_endpoint_key_program_or_place",
                "what_only_the_user_may_say_is_ignored_in_a_project",
            ),
            _OPENAI + "neither_environment_nor_proxy_nor_program_has_a_part_in_a_call",
        ),
        ("test/contract/manifest.test.ts", "test/unit/settings.test.ts"),
        control="the user's own file does name one: test_the_users_file_configures_a_model",
    ),
    "S02": Fault(
        "another endpoint that is to get the old key",
        (
            *of(
                _MODEL,
                "another_base_url_does_not_get_the_old_key",
                "a_key_is_sent_to_the_origin_named_beside_it_and_to_no_other",
            ),
            _ASK + "a_key_is_not_sent_to_another_origin",
        ),
        ("test/unit/keys.test.ts", "test/unit/launch.test.ts"),
        control="its own origin does get the key: the second test",
    ),
    "S03": Fault(
        "modules and programs in the workspace that bear the names of ours",
        of(_HOSTILE, "no_module_of_the_workspace_is_run"),
        ("test/unit/launch.test.ts", "test/unit/pythons.test.ts"),
        control="without isolation the same folder does run: test_without_isolation_the_same_modules_are_run",
        not_tried="programs in the current folder of Windows",
    ),
    "S04": Fault(
        "hostile settings, hooks and submodules of git",
        of(_STARTED, "a_question_starts_no_program_and_opens_no_connection"),
        control="a program that is started is seen: test_what_is_started_or_contacted_would_be_noticed",
    ),
    "S05": Fault(
        "instructions in documents, seen and hidden",
        of(
            _REDACTION,
            "tags_reordering_and_long_unseen_stretches_are_hidden_text",
            "what_scripts_and_emoji_need_is_no_hidden_text",
        ),
    ),
    "S06": Fault(
        "images, links and HTML that carry text away",
        (
            *of(_MARKING, "nothing_that_a_model_wrote_is_live", "no_mixture_of_brackets_is_live"),
            "lsp/test_lsp_navigation.py::test_hover_of_hostile_text_does_nothing",
            "memory/test_answer_files.py::test_nothing_of_a_note_acts",
        ),
        ("test/unit/inert.test.ts", "e2e/stories/hostile.mjs"),
    ),
    "S07": Fault(
        "escape sequences for the terminal",
        (
            "cli/test_terminal.py::test_no_text_can_drive_a_terminal",
            "cli/test_terminal.py::test_a_path_is_one_line_and_inert",
            "cli/test_answer_printer.py::test_a_live_line_is_one_inert_line",
        ),
        control="ordinary text is shown as it is: test_ordinary_text_is_shown_as_it_is",
    ),
    "S08": Fault(
        "paths that lead out",
        (
            *of("corpus/test_safe_open.py::test_", "a_path_that_is_not_plainly_below_the_root_is_refused"),
            "memory/test_checking.py::test_secrets_and_paths_that_lead_out_are_never_read",
        ),
    ),
    "S09": Fault(
        "commands with other arguments than ours",
        of(
            _REQUESTS,
            "a_command_takes_one_argument_and_checks_it",
            "an_unknown_command_is_refused",
            "params_of_ours_that_do_not_fit_are_named",
        ),
        control="a command with its argument is done: test_a_command_gives_what_the_request_gives",
    ),
    "S10": Fault(
        "endpoints in the inner network, redirects, other schemes",
        of(
            "judge/llm/test_endpoint_guard.py::test_",
            "what_cannot_be_a_model_is_refused_with_a_sentence",
            "a_name_that_resolves_to_a_forbidden_address_is_not_contacted",
            "the_transport_sends_to_its_own_origin_only",
        ),
        control="what can be one is taken: test_what_can_be_one_has_one_spelling",
    ),
    "S11": Fault(
        "denied, ignored and private files",
        of(
            "corpus/test_corpus_rules.py::test_",
            "secrets_are_denied_by_name_in_any_case",
            "every_line_of_the_deny_list_denies_what_it_says",
        ),
    ),
    "S12": Fault(
        "secrets in files that may be read",
        of(_REDACTION, "secrets_of_every_kind_are_taken_out", "ordinary_documents_are_left_alone"),
    ),
    "S13": Fault(
        "the key in logs, traces, stores and processes",
        (
            *of(_ASK, "a_key_is_in_nothing_that_is_printed_or_kept"),
            *of(_OPENAI, "the_key_shows_nowhere"),
            *of(
                "lsp/test_lsp_process.py::test_",
                "no_print_enters_the_protocol_and_no_key_leaves_the_environment",
                "nothing_that_was_said_is_logged",
            ),
            *of("cli/test_doctor_command.py::test_", "secrets_are_set_or_not_and_never_shown"),
        ),
        ("test/unit/redaction.test.ts",),
        control="the endpoint it belongs to does get it: test_our_own_key_is_the_one_that_is_sent in test_ask_model.py",
    ),
    "S14": Fault(
        "patterns that take for ever",
        (
            "corpus/test_corpus_rules.py::test_no_line_takes_long_however_many_stars_it_has",
            "corpus/test_corpus_rules.py::test_brackets_that_never_end_are_looked_at_once",
            "search/test_resolution.py::test_hostile_quotes_and_texts_cost_linear_time",
        ),
    ),
    "S15": Fault("documents that grow, nest or loop"),
    "S16": Fault(
        "a parser that runs what it reads",
        of(
            _WORKER,
            "it_cannot_connect",
            "it_cannot_open_a_file_or_list_a_folder",
            "it_cannot_write_anything",
            "it_cannot_start_a_program",
            "what_it_was_started_with_holds_no_secret",
        ),
    ),
    "S17": Fault(
        "one question that costs many calls",
        of(_ASK, "a_days_tokens_end_every_further_call", "a_daily_limit_that_cannot_be_counted_calls_nobody"),
    ),
    "S18": Fault(
        "a package that is not what it was",
        of(
            "docs/test_dependencies_page.py::test_",
            "the_page_has_every_declared_dependency_and_no_other",
            "no_rejected_package_is_imported",
        ),
        ("test/packaged/privateEnvironment.test.ts",),
        control="a wheel that was changed is refused: test/packaged/privateEnvironment.test.ts",
    ),
    "S19": Fault(
        "connections of our own accord",
        (
            *of(_STARTED, "a_question_starts_no_program_and_opens_no_connection"),
            "cli/test_ask_model.py::test_nothing_connects_without_consent_and_yes_is_remembered",
        ),
        control="a connection that is made is seen: test_what_is_started_or_contacted_would_be_noticed",
    ),
    "S20": Fault(
        "settings and files of folders above and beside",
        (
            "lsp/test_lsp_asking.py::test_a_scope_outside_the_folders_is_refused",
            "lsp/test_lsp_configuration.py::test_a_folder_has_no_say_in_the_model_and_in_what_is_searched_beside_it",
            "app/test_configuration.py::test_each_workspace_has_its_own_project_and_the_lowest_limit_holds",
            _MEMORY + "a_question_over_another_folder_does_not_reuse_what_lies_outside",
        ),
        control="a part of the workspace does reuse: test_asking_a_part_of_the_workspace_reuses_what_lies_in_it",
    ),
    "S21": Fault(
        "another server of this machine that is after what opens the page of `lens desktop`",
        of(
            _GUARD,
            "no_cookie_is_set_and_none_opens_anything",
            "nothing_is_told_without_the_key",
            "a_page_of_another_port_gets_nothing_even_with_the_key",
            "the_files_of_the_page_are_shown_to_everybody_and_hold_no_secret",
        ),
        control="in Chromium, what a second server receives opens a server whose key is a cookie, and not this one:"
        " e2e/stories/neighbours.mjs of the page",
    ),
    "S22": Fault(
        "half-open connections to `lens desktop`",
        of(
            _DOOR,
            "the_oldest_strangers_make_room_and_the_owner_gets_through",
            "strangers_leave_after_some_seconds_and_the_owner_s_stream_does_not",
            "a_program_that_can_open_nothing_more_says_so_once",
        ),
    ),
    "S23": Fault(
        "a model's address that is changed to where nobody agreed to send text",
        of(
            _PREFERENCES,
            "a_changed_address_of_another_machine_is_asked_about_again",
            "a_changed_address_of_this_machine_is_asked_about_at_once",
        ),
        control="an address that is agreed to gets the question: the second test; one that stays is not asked about"
        " again: the first",
    ),
    "S24": Fault(
        "a place to write to that holds a stranger's file, link, pipe or device",
        (
            *of(
                "test_disk.py::test_",
                "nothing_is_written_through_a_link_or_over_what_is_no_file",
                "a_file_that_we_did_not_make_stays",
                "no_folder_on_the_way_is_a_link",
            ),
            "cli/test_clusters_command.py::test_an_export_replaces_an_earlier_one_and_nothing_else",
        ),
        control="an earlier file of ours is replaced in the same tests",
    ),
    "S25": Fault(
        "answer files that name what lies outside, and sources that are missing",
        (
            *of(
                "memory/test_sources.py::test_",
                "what_lies_elsewhere_is_not_looked_at",
                "no_link_on_the_way_to_a_folder_is_followed",
                "no_forged_answer_file_learns_what_lies_outside",
            ),
            *of("corpus/test_walk.py::test_", "a_search_ends_with_its_budget", "one_budget_holds_for_all_folders"),
            "lsp/test_lsp_navigation.py::test_nothing_is_read_in_a_window_that_is_not_trusted",
        ),
        control="a check that reads wherever it is told to learns from the same files, in the same test",
    ),
}

TABLES = {
    "Messages and processes": MESSAGES,
    "Texts and places": TEXTS,
    "The file system": FILES,
    "The store": STORE,
    "The endpoint of a model": ENDPOINT,
    "Attacks": ATTACKS,
}
FAULTS = {name: fault for table in TABLES.values() for name, fault in table.items()}
