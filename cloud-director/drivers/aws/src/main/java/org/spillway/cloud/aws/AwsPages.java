package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkClientException;

/** All pages of a listing, or none. A page may come twice: whoever counts takes each id once. */
final class AwsPages {
    private static final int MAX_PAGES = 1000;

    private AwsPages() {}

    /** Asks for a page; the token is null for the first. */
    interface Page<R> {
        R get(@Nullable String token);
    }

    /** @throws software.amazon.awssdk.core.exception.SdkException if one page fails, or they do not end */
    static <R, T> List<T> all(
            String call, Page<R> page, Function<R, List<T>> items, Function<R, @Nullable String> next) {
        List<T> all = new ArrayList<>();
        String token = null;
        for (int pages = 0; pages < MAX_PAGES; pages++) {
            R answer = page.get(token);
            all.addAll(items.apply(answer));
            String following = next.apply(answer);
            if (following == null || following.isEmpty()) {
                return all;
            }
            token = following;
        }
        throw SdkClientException.create(call + " has more than " + MAX_PAGES + " pages");
    }
}
