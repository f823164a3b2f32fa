package org.spillway.head.rest;

import org.spillway.api.AccountsView;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;

/** Users as each place knows them. */
public interface AccountsApi {
    /** Compares; asks the directors, for no longer than the link's time limit. May be repeated until nothing is awaited. */
    AccountsView of(String user);

    /** Of a head without a directory. */
    AccountsApi NONE = user -> {
        throw new ApiException(Code.UNAVAILABLE, "this head has no directory", "");
    };
}
