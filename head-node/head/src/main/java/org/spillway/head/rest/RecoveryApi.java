package org.spillway.head.rest;

import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.RecoveryOrder;
import org.spillway.api.RecoveryView;

/** Machines that the journal does not know: for administrators only. */
public interface RecoveryApi {
    /** Machines with their cost, and what each could be. */
    RecoveryView look();

    /**
     * Does what an administrator has chosen; returns when it is durable. What is so already is success.
     *
     * @throws ApiException NOT_FOUND for a machine that is not there; CONFLICT where it cannot be adopted, or a quarantine
     *     not be ended yet
     */
    RecoveryView choose(Caller caller, RecoveryOrder order);

    /** Of a head that keeps no past. */
    RecoveryApi NONE = new RecoveryApi() {
        @Override
        public RecoveryView look() {
            throw new ApiException(Code.UNAVAILABLE, "this head keeps no past", "");
        }

        @Override
        public RecoveryView choose(Caller caller, RecoveryOrder order) {
            return look();
        }
    };
}
