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
