package org.spillway.cloud.aws;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.Recorder;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileFileSupplier;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.pricing.PricingClient;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/** The SDK's clients, made at the first call: opening a site loads none of them. They do not retry. */
final class AwsClients implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    /** The region that every account has, and where the price list of all commercial regions is served. */
    static final Region HOME = Region.US_EAST_1;

    private final AwsSettings settings;
    private final Recorder recorder;
    private final AwsCourtesy courtesy;
    private @Nullable SdkHttpClient http;
    private @Nullable AwsCredentialsProvider credentials;
    private @Nullable Ec2Client ec2;
    private @Nullable StsClient sts;
    private @Nullable PricingClient pricing;

    AwsClients(AwsSettings settings, Recorder recorder, InstantSource clock) {
        this.settings = settings;
        this.recorder = recorder;
        this.courtesy = new AwsCourtesy(clock);
    }

    /** Calls to EC2. */
    CallMeter calls() {
        return courtesy.calls();
    }

    synchronized Ec2Client ec2() {
        Ec2Client made = ec2;
        if (made == null) {
            made = build(Ec2Client.builder(), settings.endpoint(), Region.of(settings.region()));
            ec2 = made;
        }
        return made;
    }

    /** A client of its own, to be closed. */
    Ec2Client ec2AtHome() {
        return build(Ec2Client.builder(), settings.endpoint(), HOME);
    }

    synchronized StsClient sts() {
        StsClient made = sts;
        if (made == null) {
            made = build(StsClient.builder(), settings.endpoint(), Region.of(settings.region()));
            sts = made;
        }
        return made;
    }

    synchronized PricingClient pricing() {
        PricingClient made = pricing;
        if (made == null) {
            made = build(PricingClient.builder(), settings.pricingEndpoint(), HOME);
            pricing = made;
        }
        return made;
    }

    /** Of the file, read again when it changes, or of the machine. */
    synchronized AwsCredentialsProvider credentials() {
        AwsCredentialsProvider made = credentials;
        if (made == null) {
            made = settings.credentialsFile() == null
                    ? DefaultCredentialsProvider.builder().build()
                    : ProfileCredentialsProvider.builder()
                            .profileFile(ProfileFileSupplier.reloadWhenModified(
                                    settings.credentialsFile(), ProfileFile.Type.CREDENTIALS))
                            .profileName(settings.profile())
                            .build();
            credentials = made;
        }
        return made;
    }

    synchronized SdkHttpClient http() {
        SdkHttpClient made = http;
        if (made == null) {
            Duration connect = CONNECT_TIMEOUT.compareTo(settings.timeout()) < 0 ? CONNECT_TIMEOUT : settings.timeout();
            made = UrlConnectionHttpClient.builder()
                    .connectionTimeout(connect)
                    .socketTimeout(settings.timeout())
                    .build();
            made = recorder.isOn() ? new AwsRecording(made, recorder) : made;
            http = made;
        }
        return made;
    }

    private <B extends AwsClientBuilder<B, C> & AwsSyncClientBuilder<B, C>, C> C build(
            B builder, @Nullable URI endpoint, Region region) {
        builder.region(region)
                .credentialsProvider(credentials())
                .httpClient(http())
                .overrideConfiguration(ClientOverrideConfiguration.builder()
                        .addExecutionInterceptor(courtesy)
                        .retryStrategy(AwsRetryStrategy.doNotRetry())
                        .apiCallTimeout(settings.timeout())
                        .apiCallAttemptTimeout(settings.timeout())
                        .build());
        if (endpoint != null) {
            builder.endpointOverride(endpoint);
        }
        return builder.build();
    }

    @Override
    public synchronized void close() {
        for (SdkAutoCloseable each : new SdkAutoCloseable[] {ec2, sts, pricing, http}) {
            if (each != null) {
                each.close();
            }
        }
        if (credentials instanceof SdkAutoCloseable closeable) {
            closeable.close();
        }
    }
}
