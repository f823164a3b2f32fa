package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.BackupOrder;
import org.spillway.api.BackupView;

/** Copies of the journal, for administrators: they hold everybody's scripts. */
public interface BackupsApi {
    /** A head that keeps no journal of its own. */
    BackupsApi NONE = new BackupsApi() {
        @Override
        public BackupView begin(BackupOrder order) {
            throw new ApiException(ApiException.Code.UNAVAILABLE, "this head makes no backups", "");
        }

        @Override
        public List<BackupView> latest() {
            return List.of();
        }
    };

    /**
     * Begins one and returns at once. Not idempotent: repeated after its end, it is made anew or refused, as ordered.
     *
     * @throws ApiException CONFLICT while another is under way
     */
    BackupView begin(BackupOrder order);

    /** Backups of this head's life, the latest first, at most 20. */
    List<BackupView> latest();
}
