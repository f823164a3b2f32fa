package org.spillway.head.journal;

final class MemoryJournalStoreTest extends JournalStoreContract {
    @Override
    JournalStore create() {
        return new MemoryJournalStore();
    }

    @Override
    JournalStore reopen(JournalStore before) {
        return before;
    }
}
