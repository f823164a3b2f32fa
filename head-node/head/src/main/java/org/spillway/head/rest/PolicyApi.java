package org.spillway.head.rest;

import org.spillway.api.ApiException;
import org.spillway.api.PoliciesView;
import org.spillway.api.PolicyDetail;

/** The policies of the scaler: those that are built in, and those that an administrator dropped in. */
public interface PolicyApi {
    /** All of them, and which one decides. */
    PoliciesView policies();

    /**
     * The policy, with its settings and its versions.
     *
     * @param name or the name of its file
     * @throws ApiException NOT_FOUND
     */
    PolicyDetail policy(String name);

    /**
     * Changes which one decides; remembered.
     *
     * @param action {@code enable} or {@code disable}
     * @throws ApiException NOT_FOUND for a policy or an action that is not there; CONFLICT when it cannot be done
     */
    PolicyDetail change(Caller caller, String name, String action);
}
