package org.spillway.cloud.aws;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.HoldOff;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * Sends nothing while the provider has asked for a pause. EC2 counts each action by itself ("Request throttling for the
 * Amazon EC2 API"), and so are pauses.
 */
final class AwsCourtesy implements ExecutionInterceptor {
    private static final Set<Integer> ASKING = Set.of(429, 503);
    private static final String COUNTED = "Ec2";
    private final HoldOff holdOff;
    private final CallMeter meter;

    AwsCourtesy(InstantSource clock) {
        this.meter = new CallMeter(clock);
        this.holdOff = new HoldOff(clock);
    }

    /** The call was not sent. */
    static final class Held extends SdkClientException {
        private static final long serialVersionUID = 1;

        Held(Instant until) {
            super(SdkClientException.builder().message(HoldOff.said(until)));
        }
    }

    @Override
    public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
        Optional<Instant> until = holdOff.until(bucket(attributes));
        if (until.isPresent()) {
            throw new Held(until.get());
        }
    }

    /** Each page is a call of its own; prices and identity are other services. */
    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        if (COUNTED.equals(attributes.getAttribute(SdkExecutionAttribute.SERVICE_NAME))) {
            String action = String.valueOf(attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME));
            boolean reads = action.startsWith("Describe") || action.startsWith("Get");
            meter.sent(reads ? CallMeter.Kind.READ : CallMeter.Kind.CHANGE);
        }
    }

    CallMeter calls() {
        return meter;
    }

    @Override
    public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes attributes) {
        SdkHttpResponse response = context.httpResponse();
        if (ASKING.contains(response.statusCode())) {
            response.firstMatchingHeader("Retry-After")
                    .ifPresent(pause -> holdOff.asked(
                            bucket(attributes),
                            pause,
                            response.firstMatchingHeader("Date").orElse("")));
        }
    }

    private static String bucket(ExecutionAttributes attributes) {
        return attributes.getAttribute(SdkExecutionAttribute.SERVICE_NAME) + " "
                + attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME);
    }
}
