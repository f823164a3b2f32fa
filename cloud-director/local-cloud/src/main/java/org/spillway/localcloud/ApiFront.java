package org.spillway.localcloud;

import java.io.IOException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Another provider's API in its own wire format. Found by {@link java.util.ServiceLoader}; made without arguments. */
public interface ApiFront {
    /** As in {@code --api}: ec2, arm, nova. */
    String api();

    /** Called once, before the first request. @param endpoint its own, such as {@code http://127.0.0.1:4566} */
    void open(CloudBehind cloud, String endpoint) throws IOException;

    /** For an API that is spoken over TLS only; its trust anchor lies in {@code stateFor(api())/ca.pem}. */
    default @Nullable SSLContext tls(CloudBehind cloud) throws IOException {
        return null;
    }

    /** May be called from many threads at a time. What it throws is answered with 500. */
    FrontReply answer(FrontRequest request) throws IOException;
}
