package org.spillway.cloud.aws;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.regions.PartitionMetadata;
import software.amazon.awssdk.regions.Region;

/** Calls to services of which two are asked, so that their clients are not among the dependencies: signed by the SDK's signer. */
final class AwsSigned {
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern CODE = Pattern.compile("\"__type\"\\s*:\\s*\"([^\"]*)\"|<Code>([^<]*)</Code>");
    private static final Pattern MESSAGE =
            Pattern.compile("\"[mM]essage\"\\s*:\\s*\"([^\"]*)\"|<Message>([^<]*)</Message>");
    private final AwsSettings settings;
    private final AwsClients clients;

    AwsSigned(AwsSettings settings, AwsClients clients) {
        this.settings = settings;
        this.clients = clients;
    }

    /**
     * @param service as signatures and host names call it
     * @throws CloudException for any answer but 200, and for none
     */
    String post(String service, Map<String, String> headers, String body) throws CloudException {
        SdkHttpRequest.Builder request =
                SdkHttpRequest.builder().method(SdkHttpMethod.POST).uri(endpoint(service));
        headers.forEach(request::putHeader);
        ContentStreamProvider content = ContentStreamProvider.fromUtf8String(body);
        try {
            SignedRequest signed = AwsV4HttpSigner.create()
                    .sign(sign -> sign.identity(clients.credentials().resolveCredentials())
                            .request(request.build())
                            .payload(content)
                            .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, service)
                            .putProperty(AwsV4HttpSigner.REGION_NAME, settings.region()));
            HttpExecuteResponse answer = clients.http()
                    .prepareRequest(HttpExecuteRequest.builder()
                            .request(signed.request())
                            .contentStreamProvider(content)
                            .build())
                    .call();
            int status = answer.httpResponse().statusCode();
            String text = "";
            if (answer.responseBody().isPresent()) {
                try (InputStream in = answer.responseBody().get()) {
                    text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
                }
            }
            if (status == 200) {
                return text;
            }
            throw refused(service, status, text);
        } catch (IOException | SdkException unanswered) {
            throw new CloudException(
                    Reason.THROTTLED,
                    service + ": " + AwsErrors.printable(String.valueOf(unanswered.getMessage())),
                    unanswered);
        }
    }

    private static CloudException refused(String service, int status, String text) {
        String code = found(CODE, text).replaceFirst("^.*#", "");
        String said = AwsErrors.printable(found(MESSAGE, text));
        boolean denied = status == 401 || status == 403 || code.startsWith("AccessDenied") || code.contains("Token");
        return new CloudException(
                denied ? Reason.CREDENTIALS : Reason.THROTTLED,
                service + ": " + status + (code.isEmpty() ? "" : " " + AwsErrors.printable(code))
                        + (said.isEmpty() ? "" : ": " + said));
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? String.valueOf(matcher.group(1) == null ? matcher.group(2) : matcher.group(1)) : "";
    }

    private URI endpoint(String service) {
        URI given = settings.endpoint();
        if (given != null) {
            return given;
        }
        @Nullable PartitionMetadata partition = PartitionMetadata.of(Region.of(settings.region()));
        String suffix = partition == null ? "amazonaws.com" : partition.dnsSuffix();
        return URI.create("https://" + service + "." + settings.region() + "." + suffix + "/");
    }
}
